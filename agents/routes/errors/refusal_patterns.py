"""What providers write into refusals: codes and wordings, and the class of fault that each stands for.

Tables alone; which is consulted when, and in which order, is `agents.routes.errors.classification`. Every wording here
has been seen in a provider's answer; where several providers share one, it is written once.
"""

from __future__ import annotations

import re
from typing import Final


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# Codes, in lower case. An account that is spent is so under any status.
SPENT_CODES: Final = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "insufficient_balance",
        "insufficient_user_quota",
        "exceeded_current_quota_error",
        "arrearage",
        "accountoverdueerror",
        "setlimitexceeded",
        "quota_exceeded_error",
        "1113",  # Zhipu: no balance
    }
)
# These a gateway also says of its own trouble under 5xx, where they mean nothing.
DENIED_CODES: Final = frozenset(
    {
        "invalid_api_key",
        "authentication_error",
        "permission_error",
        "permission_denied",
        "unauthenticated",
        "access_denied",
        "account_deactivated",
        "model_not_found",
        "not_found_error",
        "unsupported_parameter",
        "unsupported_value",
        "unknown_parameter",
        "unsupported_model",
    }
)
OVERFLOW_CODES: Final = frozenset(
    {
        "context_length_exceeded",
        "context_window_exceeded",
        "string_above_max_length",
        "exceed_context_size_error",
        "1261",  # Zhipu
    }
)
# Ark alone has a dozen of these, by input and output, text and picture, with a severity behind a dot.
FILTER_CODE: Final = re.compile(
    r"content_?filter|content_?policy|responsibleaipolicy|data_?inspection_?failed"
    r"|sensitive_?content_?detected|text_?risk_?detection|moderation_blocked|^invalid_prompt$|^1301$"
)
# Groq: what the model wrote is no call of the offered tools.
MALFORMED_CODES: Final = frozenset({"tool_use_failed", "output_parse_failed"})
# An overload or a rate limit, under whatever status: Anthropic, OpenAI, AWS, Google, Groq.
LIMIT_CODE: Final = re.compile(
    r"overloaded|rate_?limit|throttl|too_?many_?requests|^resource_exhausted$|capacity_exceeded"
)
# Anthropic's and engines' own word for an overload, under any status: every seat slows down.
OVERLOAD_CODE: Final = re.compile(r"^(engine_|server_|model_)?overloaded(_?error)?$")
# The provider's own trouble dressed as a refusal; anchored where a longer code means something else.
BROKEN_CODE: Final = re.compile(
    r"^(internal_?)?server_?error$|^internal(_error)?$|^service_?unavailable|^unavailable$"
    r"|time_?out|^deadline_exceeded$|^cancelled$|^aborted$|^model_?(error|not_?ready)(exception)?$"
)

# The prompt alone, or with its completion, is longer than the model's context (400, 413, 422). "Too many
# tokens, please wait" is Bedrock's rate limit.
OVERFLOW: Final = _words(
    r"maximum context length|context (length|window|size|limit)|exceeds? the (available|model'?s)? ?context",
    r"prompt (is )?too long|input is too long|too many (input )?tokens(?!,? (per (day|minute)|please wait))",
    r"tokens in request more than max tokens allowed|n_keep \(?\d+\)? >= n_ctx",
    r"(input|prompt) token count .{0,40}(exceeds|supports)|exceeds the maximum number of (input )?tokens",
    r"maximum (allowed )?(input|prompt) (length|tokens)|(input|prompt) (length )?exceeds? (the )?max(imum)? length",
    r"input tokens exceed|exceed(ed|s)? (the )?(model token limit|max message tokens)",
    r"current length is .{0,40} while limit is|reduce the length of the (messages|prompt|input)",
    r"range of input length should be|inputs?`? tokens \+ .?max_new_tokens",
)
# Under 500 an outage may speak of contexts too: only that this prompt is too long for the model counts.
OVERFLOW_500: Final = _words(
    r"(prompt|input) (is |was )?too long",
    r"(prompt|input|request|messages|tokens?)\b.{0,80}\b(exceeds?|exceeded|longer than|greater than|larger than)"
    r" (the )?(available |maximum |max |model'?s |this model'?s |configured )*context",
    r"maximum context length (is|of) [\d,]+|context (size|length|window) (was |has been )?exceeded",
    r"exceeds? the maximum number of (input )?tokens",
)
# Words that make a sentence on contexts under 500 one about the server's own memory or workers.
OUTAGE: Final = _words(r"memory|\boom\b|cuda|\balloc|worker|kv.?cache|upstream|timed? ?out")
# A field of the request that an error's `param`, or its sentence, points at: the conversation, or the tools.
HISTORY_PLACE: Final = _words(r"^(messages|input|contents|history)\b")
TOOLS_PLACE: Final = _words(r"^tools?\b")
# A code of a length that is an id's or a name's, and not the conversation's.
IDENTIFIER: Final = _words(r"(tool_call_id|call_id|\bid|\bname)['\"`]?(: |$)")
# What providers say of turns that they do not take back: places in them, ids, thoughts, signatures, order.
HISTORY: Final = _words(
    r"\b(messages|input|contents|history)(\.?\[\d+\]|\.\d+)|item '?(with id '?)?(rs|fc|msg)_",
    r"tool_(use|result|call)s?_?(id)?\b.{0,120}(must|without|expected|not found|missing|unexpected|duplicate|unique)",
    r"reasoning_content|thought_?signature|thinking.{0,20} blocks?|encrypted content could not",
    r"(unexpected|alternate|after) roles?\b|roles must alternate|tool call id was|failed to parse tool call arg",
    r"not the same number of function calls|function (call|response) (turn|parts)|assistant message must",
)
# OpenAI refuses, in place of cutting, where reasoning alone has used up the output limit.
LENGTH: Final = _words(r"max_tokens or model output limit was reached")
# The prompt or its answer was stopped for its content: DeepSeek, Azure, xAI, OpenRouter, Ark, Moonshot, MiniMax.
FILTERED: Final = _words(
    r"content.?(management )?(policy|filter)|safety system|inappropriate content|responsible ?ai ?policy",
    r"violat\w+ (our |the )?usage (polic(y|ies)|guidelines)|safety_check_type|content exists risk",
    r"requires moderation|(input|prompt|content|message)s? (was|were|has been|is) flagged",
    r"may contain sensitive (information|content)|unsafe or sensitive content|不安全或敏感|considered high risk",
    r"(input|output) new_sensitive",
)
# Of a whole account, in whatever words it is accused of.
BANNED: Final = _words(
    r"(account|organi[sz]ation|access|project|team)\b.{0,60}"
    r"\b(suspended|deactivated|terminated|banned|disabled|overdue)"
)
# Of an account, until someone pays or raises it.
SPENT: Final = _words(
    r"exceeded your current quota|insufficient (credit|balance|quota|funds)|credit balance is too low",
    r"out of credits?|(prepayment|prepaid) credits are depleted|used all available credits",
    r"billing (hard )?limit|account .{0,80}(overdue|suspended|deactivated)|requires? more credits",
    r"(daily|monthly|spending|usage) (spend(ing)? )?limit .{0,80}(reached|exceeded)",
    r"reached (its|your|the) (specified |monthly |daily )*(api )?(spend(ing)?|usage) limits?",
    r"reached the set inference limit",
)
# An overload under 400, as Moonshot sends it: it passes.
BUSY: Final = _words(
    r"(engine|server|service|model) is (currently )?overloaded|too many tokens.{0,20}, please wait"
)
# One wording of Google's and Alibaba's passing limits is OpenAI's of a spent account; their links tell.
PASSING_QUOTA: Final = _words(
    r"aliyun|alibabacloud|#token-limit|allocated quota exceeded|ai\.google\.dev|per.?minute|\b[trq]pm\b",
    r"limit will reset (at|in|on)",
)
# Alibaba's trial quota, which does not come back although it is worded like one that does.
FREE_QUOTA: Final = _words(r"free (allocated |trial )*quota|free.?tier.?only")
# Gemini's prepaid account, spent, under the code of its passing limits.
PREPAID: Final = _words(r"(prepayment|prepaid) credits are depleted")
# One request larger than all that the account may send in a minute: no wait makes room for it.
ABOVE_RATE_LIMIT: Final = _words(r"request too large\b.{0,300}(tokens per|\btp[md]\b|rate limit)")
# A ceiling above what the model can write: the route's own setting, in any provider's words.
CEILING: Final = _words(
    r"maximum allowed number of output tokens|max_tokens\b.{0,60}(too large|must be (<=|less))"
)
# A parameter that the model or endpoint does not take; the gaps are bounded, for messages quote requests.
PARAMETER: Final = _words(
    r"unsupported (parameter|value)|unrecognized (request argument|parameter|field)",
    r"unknown (parameter|field|name)|(parameter|argument|option) .{0,200}(not supported|unsupported|not allowed)",
    r"does not support|cannot be used here|extra (inputs?|fields?) (are )?not permitted",
    r"tool (use|calling|choice) .{0,200}not (supported|enabled)",
)
# No such model, deployment or inference profile under this account.
NO_MODEL: Final = _words(
    r"(model|deployment|endpoint).{0,200}(not found|does not exist|not exist|is not available|not supported|unknown)",
    r"(no such|unknown|invalid) model|not a valid model|model identifier is invalid",
    r"on-demand throughput isn.t supported",
)
# Google and OpenAI do not serve the country that the request came from.
REGION: Final = _words(r"(user )?location is not supported|country, region, or territory not supported")
# Gemini refuses a key with 400 in place of 401.
KEY: Final = _words(r"api.?key (not valid|is invalid|expired)|invalid (x-)?api.?key")
# Groq could not read the model's call.
MALFORMED: Final = _words(r"see 'failed_generation'|tool call validation failed|failed to call a function")
