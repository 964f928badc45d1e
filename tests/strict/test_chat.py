"""The strict chat completions, OpenAI's and its dialects', refuse what breaks a rule and take what keeps all."""

from __future__ import annotations

import pytest

from tests.strict import chat_rules
from tests.strict.asking import asked, breaks, changed, keeps
from tests.strict.chat_dialects import DIALECTS
from tests.strict.odd import CHAT
from tests.strict.rules import Wire

TOOL = {
    "type": "function",
    "function": {"name": "set_price", "description": "d", "parameters": {"type": "object"}},
}
SAID = [
    {"role": "system", "content": "S"},
    {"role": "user", "content": "hi"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "abcDEF001", "type": "function", "function": {"name": "set_price", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "abcDEF001", "content": "done"},
]
GOOD = {"model": "vendor/model-a", "messages": SAID, "tools": [TOOL], "max_tokens": 100, "stream": False}
THOUGHT = changed(GOOD, lambda r: r["messages"][2].update(reasoning_content="hm"))
WORDS = {"role": "assistant", "content": "So."}


def _call(request):
    return request["messages"][2]["tool_calls"][0]


def _swap(request, place, **fields):
    request["messages"][place] = {**request["messages"][place], **fields}


OPENAI = {
    "messages_are_there": lambda r: r.update(messages=[]),
    "fields_are_known": lambda r: r.update(surprise=1),
    "roles_are_known": lambda r: _swap(r, 1, role="model"),
    "content_is_there": lambda r: _swap(r, 1, content=None),
    "calls_are_no_empty_list": lambda r: r["messages"].append({**WORDS, "tool_calls": []}),
    "calls_are_whole": lambda r: _call(r)["function"].update(arguments={"price": 1}),
    "names_fit": lambda r: _call(r)["function"].update(name="set price"),
    "ids_are_short": lambda r: (_call(r).update(id="x" * 41), _swap(r, 3, tool_call_id="x" * 41)),
    "calls_are_answered": lambda r: r["messages"].pop(),
    "results_follow_calls": lambda r: r["messages"].append(
        {"role": "tool", "tool_call_id": "b", "content": "x"}
    ),
}


@pytest.mark.parametrize("name", DIALECTS)
async def test_a_history_that_keeps_every_rule_is_taken(name):
    request = THOUGHT if name in {"deepseek", "moonshot"} else GOOD
    provider = await keeps(DIALECTS[name], request)
    assert provider.asked == [request]


@pytest.mark.parametrize("rule", OPENAI)
async def test_openai_refuses_what_breaks_a_rule_of_its_own(rule):
    body = await breaks(DIALECTS["openai"], rule, changed(GOOD, OPENAI[rule]))
    assert body["error"]["type"] == "invalid_request_error"


def test_every_rule_of_openai_is_broken_once():
    assert set(OPENAI) == {rule.name for rule in chat_rules.OPENAI}


DIALECT = [
    ("llama-cpp-python", "the_key_content_is_there", lambda r: r["messages"][2].pop("content")),
    ("lmstudio", "content_is_never_null", lambda r: _swap(r, 2, content=None)),
    ("mistral", "ids_are_nine_letters_and_digits",
     lambda r: (_call(r).update(id="r2c0-abc1"), _swap(r, 3, tool_call_id="r2c0-abc1"))),
    ("mistral", "roles_are_in_order", lambda r: r["messages"].append({"role": "user", "content": "on"})),
    ("mistral", "the_last_message_is_no_assistants", lambda r: r["messages"].append(WORDS)),
    ("mistral", "an_assistant_says_or_calls",
     lambda r: r["messages"].extend([{"role": "assistant", "content": ""}, {"role": "user", "content": "on"}])),
    ("deepseek", "reasoning_comes_back_with_calls", lambda r: None),
    ("moonshot", "thinking_comes_back_with_calls", lambda r: None),
    ("groq", "no_other_fields", lambda r: _swap(r, 2, reasoning_content="hm")),
    ("cerebras", "no_other_fields", lambda r: _swap(r, 2, reasoning_content="hm")),
    ("fireworks", "no_other_fields", lambda r: _swap(r, 2, thinking_blocks=[])),
    ("llama.cpp", "arguments_are_json", lambda r: _call(r)["function"].update(arguments='{"a')),
    ("llama.cpp", "no_assistant_is_last", lambda r: r["messages"].append(WORDS)),
    ("template", "roles_alternate", lambda r: r["messages"].insert(1, {"role": "user", "content": "first"})),
]  # fmt: skip


@pytest.mark.parametrize(("name", "rule", "change"), DIALECT)
async def test_a_dialect_refuses_what_it_alone_refuses(name, rule, change):
    await breaks(DIALECTS[name], rule, changed(GOOD, change))


def test_every_rule_of_a_dialect_is_broken_once():
    """The two that OpenAI's shared rules would hide are broken below."""
    shared = {rule.name for rule in chat_rules.OPENAI}
    own = {
        (name, rule.name) for name, wire in DIALECTS.items() for rule in wire.rules if rule.name not in shared
    }
    below = {("mistral", "as_many_results_as_calls"), ("moonshot", "no_assistant_is_empty")}
    assert own == {(name, rule) for name, rule, _ in DIALECT} | below


async def test_mistral_counts_results_and_moonshot_wants_words():
    """Both say it of histories that OpenAI's shared rules would stop first, so they are asked alone."""
    short = [*SAID[:3], {"role": "assistant", "content": "So."}, {"role": "user", "content": "on"}]
    mistral = {rule.name: rule for rule in DIALECTS["mistral"].rules}["as_many_results_as_calls"]
    assert mistral.check({"messages": short}, ()) == "Not the same number of function calls and responses"
    said = [*THOUGHT["messages"], {"role": "assistant", "content": "  "}, {"role": "user", "content": "on"}]
    await breaks(DIALECTS["moonshot"], "no_assistant_is_empty", {**THOUGHT, "messages": said})


async def test_mistral_names_its_own_codes():
    wrong = changed(GOOD, lambda r: (_call(r).update(id="call_1"), _swap(r, 3, tool_call_id="call_1")))
    body = await breaks(DIALECTS["mistral"], "ids_are_nine_letters_and_digits", wrong)
    assert (body["type"], body["code"]) == ("invalid_function_call", "3280")


async def test_a_turn_given_without_reasoning_need_not_bring_any_back():
    given = CHAT["call"]("set_price", 1)
    first = {**GOOD, "messages": SAID[:2]}
    response, provider = await asked(DIALECTS["deepseek"], first, GOOD, answers=(given,))
    assert (response.status_code, provider.violations) == (200, [])
    thinking = CHAT["call_with_reasoning"]("set_price", 1)
    await breaks(
        DIALECTS["deepseek"], "reasoning_comes_back_with_calls", GOOD, before=(first,), answers=(thinking,)
    )


async def test_a_gateway_streams_unless_it_is_told_not_to():
    told, _ = await asked(DIALECTS["gateway"], GOOD)
    assert told.json()["object"] == "chat.completion"
    untold, _ = await asked(DIALECTS["gateway"], changed(GOOD, lambda r: r.pop("stream")))
    assert untold.text.startswith("data: ")
    assert untold.text.endswith("data: [DONE]\n\n")


async def test_a_refused_request_takes_no_answer_and_another_path_is_not_found():
    answer = CHAT["words"]("set_price", 1)
    wrong = changed(GOOD, OPENAI["roles_are_known"])
    response, provider = await asked(DIALECTS["openai"], wrong, GOOD, answers=(answer,))
    assert response.json()["choices"][0]["message"]["content"] == "I think."
    assert [violation.request for violation in provider.violations] == [0]
    elsewhere = Wire(name="x", path="/nowhere", rules=(), error=DIALECTS["openai"].error, good=lambda r: {})
    assert (await asked(elsewhere, GOOD))[0].status_code == 200
    assert provider.answer("/v1/models", {}).status == 404
