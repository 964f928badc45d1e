"""Where providers put what: the one table of field names by which answers are read, kept and sent back.

Names alone, in the order in which they are looked for. A new provider's name for something that is here
already is added here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Reasoning in an OpenAI-shaped message. DeepSeek, Qwen and litellm write `reasoning_content`; OpenRouter,
# Groq and newer vLLM `reasoning`: each is plain text.
# A server of Ollama's family `thinking`.
REASONING_TEXT: Final = ("reasoning_content", "reasoning", "thinking")
# Lists of typed parts, signed or encrypted: litellm's form of Anthropic's thinking, OpenRouter's of any
# model's, litellm's of OpenAI's.
REASONING_PARTS: Final = ("thinking_blocks", "reasoning_details", "reasoning_items")
REASONING: Final = (*REASONING_TEXT, *REASONING_PARTS)
# What litellm keeps of an answer that OpenAI's form has no place for: Gemini's signatures, finish words.
PROVIDER_SPECIFIC: Final = "provider_specific_fields"

# Types of content blocks (Messages) and output items (Responses) that are reasoning and not speech.
THINKING_BLOCKS: Final = frozenset({"thinking", "redacted_thinking"})
REASONING_ITEM: Final = "reasoning"
# Under which a message of ours keeps the blocks and the items as they came, to be sent back so.
CONTENT_BLOCKS: Final = "content_blocks"
RESPONSE_ITEMS: Final = "response_items"

# What may go back, by kind: the fields that the wires document for their inputs. What else came is kept on
# record and not sent, since strict wires refuse a whole conversation for one field that they do not know.
MESSAGE_FIELDS: Final = frozenset({"role", "content", "tool_calls", "name", *REASONING, PROVIDER_SPECIFIC})
CALL_FIELDS: Final = frozenset({"id", "type", "function", "extra_content", PROVIDER_SPECIFIC})
BLOCK_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("type", "text"),
    "thinking": ("type", "thinking", "signature"),
    "redacted_thinking": ("type", "data"),
    "tool_use": ("type", "id", "name", "input"),
}
# Without an id: nothing is stored under one, and an item that is sent by its id wants its neighbours by theirs.
ITEM_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "message": ("type", "role", "content", "status", "phase"),
    "reasoning": ("type", "summary", "content", "encrypted_content"),
    "function_call": ("type", "call_id", "name", "arguments", "status"),
}
PART_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "output_text": ("type", "text"),
    "refusal": ("type", "refusal"),
}

# Where an answer names how it ended: OpenAI, Gemini, Anthropic, Bedrock, Ollama, and OpenRouter's word for
# the word of the provider behind it.
FINISH_WORDS: Final = (
    "finish_reason",
    "finishReason",
    "stop_reason",
    "stopReason",
    "done_reason",
    "native_finish_reason",
)
# Lists of alternatives, of which one is asked for: OpenAI's and Gemini's.
CHOICE_LISTS: Final = ("choices", "candidates")
# Where what a model wrote stands outside such a list: Ollama and Cohere, Anthropic, Responses and Bedrock.
MESSAGE_PLACES: Final = ("message", "content", "output")
# Model and answer ids: OpenAI and Anthropic, Gemini (in both spellings), Alibaba.
MODEL_IDS: Final = ("model", "modelVersion", "model_version")
RESPONSE_IDS: Final = ("id", "responseId", "request_id")

# Where a body reports tokens at all: OpenAI and Anthropic, Gemini (in both spellings), Ollama (both counts),
# Cohere.
USAGE_REPORTS: Final = ("usage", "usageMetadata", "usage_metadata", "eval_count", "prompt_eval_count", "meta")
# Counts inside a report in chat, Responses or Messages form.
PROMPT_TOKENS: Final = ("prompt_tokens", "input_tokens")
COMPLETION_TOKENS: Final = ("completion_tokens", "output_tokens")
TOTAL_TOKENS: Final = ("total_tokens",)
PROMPT_DETAILS: Final = ("prompt_tokens_details", "input_tokens_details")
COMPLETION_DETAILS: Final = ("completion_tokens_details", "output_tokens_details")
# Inside the details, and beside the counts (Anthropic).
REASONING_TOKENS: Final = ("reasoning_tokens",)
CACHED_TOKENS: Final = ("cached_tokens",)
WRITTEN_TOKENS: Final = ("cache_creation_tokens", "cache_write_tokens")
CACHE_READ: Final = ("cache_read_input_tokens",)
CACHE_WRITTEN: Final = ("cache_creation_input_tokens",)
# Beside the counts and inside the prompt's: Moonshot, DeepSeek.
CACHED_BESIDE: Final = ("cached_tokens", "prompt_cache_hit_tokens")
# What was written for an hour: Anthropic's object, and where litellm puts it inside the details.
WRITTEN_PARTS: Final = ("cache_creation", "cache_creation_token_details")
WRITTEN_1H: Final = ("ephemeral_1h_input_tokens",)
# What a provider says that a reply cost, in dollars: OpenRouter and Perplexity, DeepInfra; xAI counts in
# ten-billionths of a dollar.
TOLD_USD: Final = ("cost", "estimated_cost", "total_cost")
TOLD_TICKS: Final = ("cost_in_usd_ticks",)
USD_PER_TICK: Final = 1e-10
# With a key of one's own OpenRouter tells what the provider behind it takes beside its own fee.
UPSTREAM_USD: Final = ("upstream_inference_cost",)

# Codes and texts of an error object; AWS writes `__type` and `Message`.
ERROR_CODES: Final = ("code", "type", "status", "error_code", "__type")
ERROR_TEXTS: Final = ("message", "error", "msg", "detail", "Message")
