"""The strict Messages refuse what breaks a rule of Anthropic's and take what keeps all."""

from __future__ import annotations

import pytest

from tests.strict.asking import asked, breaks, changed, keeps
from tests.strict.messages_rules import MESSAGES
from tests.strict.odd import MESSAGES as ODD

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "U0lH0001"}
USED = {"type": "tool_use", "id": "toolu_1", "name": "set_price", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}
GOOD = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 2000,
    "system": "S",
    "messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "So:"}, USED]},
        {"role": "user", "content": [RESULT, {"type": "text", "text": "go on"}]},
    ],
    "tools": [{"name": "set_price", "description": "d", "input_schema": {"type": "object"}}],
    "thinking": {"type": "enabled", "budget_tokens": 1024},
}


def _own(request):
    return request["messages"][1]["content"]


def _last(request, *blocks):
    request["messages"].append({"role": "assistant", "content": list(blocks)})


BREAKING = {
    "top_fields_are_known": lambda r: r.update(response_format={}),
    "message_fields_are_known": lambda r: r["messages"][1].update(reasoning_details=[]),
    "block_fields_are_known": lambda r: _own(r)[2].update(text=""),
    "the_first_is_the_users": lambda r: r["messages"].pop(0),
    "roles_alternate": lambda r: r["messages"].append({"role": "user", "content": "again"}),
    "no_message_is_empty": lambda r: (
        r["messages"].insert(1, {"role": "assistant", "content": []})
        or r["messages"].insert(2, {"role": "user", "content": "x"})
    ),
    "no_text_is_blank": lambda r: _own(r)[1].update(text=" \n"),
    "call_ids_fit": lambda r: _own(r)[2].update(id="Bash:0"),
    "call_names_fit": lambda r: _own(r)[2].update(name="a.b"),
    "arguments_are_objects": lambda r: _own(r)[2].update(input="{}"),
    "call_ids_are_unique": lambda r: _own(r).append(USED),
    "no_turn_ends_in_thought": lambda r: _own(r).append({**THOUGHT, "signature": "x"}),
    "thoughts_are_signed": lambda r: _own(r)[0].pop("signature"),
    "every_call_is_answered_at_once": lambda r: r["messages"][2]["content"].reverse(),
    "every_result_has_its_call": lambda r: r["messages"][2]["content"].append(
        {**RESULT, "tool_use_id": "toolu_9"}
    ),
    "a_call_follows_its_thought": lambda r: _own(r).pop(0),
    "the_last_text_is_trimmed": lambda r: _last(r, {"type": "text", "text": "So. "}),
    "the_ceiling_exceeds_the_budget": lambda r: r.update(max_tokens=1024),
    "four_marks_of_the_cache": lambda r: r.update(
        system=[{"type": "text", "text": "S", "cache_control": {"type": "ephemeral"}}] * 5
    ),
}


async def test_a_history_that_keeps_every_rule_is_taken():
    await keeps(MESSAGES, GOOD)


@pytest.mark.parametrize("rule", BREAKING)
async def test_a_request_that_breaks_a_rule_is_refused_for_it(rule):
    body = await breaks(MESSAGES, rule, changed(GOOD, BREAKING[rule]))
    assert (body["type"], body["error"]["type"]) == ("error", "invalid_request_error")


def test_every_rule_is_broken_once():
    """The one that needs to know what was given is broken below."""
    assert {*BREAKING, "the_latest_thoughts_are_as_given"} == {rule.name for rule in MESSAGES.rules}


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("no_text_is_blank", lambda r: _own(r)[1].update(text="")),
        ("no_turn_ends_in_thought", lambda r: _own(r).append({"type": "redacted_thinking", "data": "UkVE"})),
        ("thoughts_are_signed", lambda r: _own(r).insert(0, {"type": "redacted_thinking"})),
        ("every_call_is_answered_at_once", lambda r: r["messages"].pop()),
        ("the_ceiling_exceeds_the_budget", lambda r: r.pop("max_tokens")),
        ("the_ceiling_exceeds_the_budget", lambda r: r["thinking"].update(budget_tokens=100)),
        ("roles_alternate", lambda r: r["messages"].insert(1, {"role": "system", "content": "S"})),
        ("block_fields_are_known", lambda r: _own(r).insert(1, {"type": "surprise"})),
    ],
)
async def test_a_rule_holds_in_its_other_forms_too(rule, change):
    await breaks(MESSAGES, rule, changed(GOOD, change))


@pytest.mark.parametrize("lost", [0, 2])
async def test_a_turn_that_was_given_comes_back_with_all_its_thoughts(lost):
    answer = ODD["thought_between"]("set_price", 1)
    first = {**GOOD, "messages": GOOD["messages"][:1]}
    own = [THOUGHT, {"type": "text", "text": "So:"}, {**THOUGHT, "signature": "U0lH0002"}, USED]
    whole = changed(GOOD, lambda r: r["messages"][1].update(content=own))
    response, provider = await asked(MESSAGES, first, whole, answers=(answer,))
    assert (response.status_code, provider.violations) == (200, [])
    less = changed(whole, lambda r: _own(r).pop(lost))
    await breaks(MESSAGES, "the_latest_thoughts_are_as_given", less, before=(first,), answers=(answer,))
    forged = changed(whole, lambda r: _own(r)[0].update(signature="other"))
    body = await breaks(MESSAGES, "thoughts_are_signed", forged, before=(first,), answers=(answer,))
    assert "Invalid `signature`" in body["error"]["message"]


async def test_a_turn_given_without_a_thought_is_taken_back_without_one():
    first = {**GOOD, "messages": GOOD["messages"][:1]}
    bare = changed(GOOD, lambda r: r["messages"][1].update(content=[USED]))
    response, _ = await asked(MESSAGES, first, bare, answers=(ODD["call_without_thought"]("set_price", 1),))
    assert response.status_code == 200
