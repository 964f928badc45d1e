"""The strict Responses refuse what breaks a rule of OpenAI's without storage and take what keeps all."""

from __future__ import annotations

import pytest

from tests.strict.asking import asked, breaks, changed, keeps
from tests.strict.odd import RESPONSES as ODD
from tests.strict.responses_rules import RESPONSES

REASONING = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "RU5D0001"}
CALL = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "set_price", "arguments": "{}"}
SAID = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "So.", "annotations": []}],
}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "done"}
GOOD = {
    "model": "gpt-5",
    "instructions": "S",
    "input": [{"role": "user", "content": "hi"}, REASONING, SAID, CALL, OUTPUT],
    "tools": [{"type": "function", "name": "set_price", "parameters": {"type": "object"}}],
    "max_output_tokens": 100,
    "store": False,
    "include": ["reasoning.encrypted_content"],
}
BREAKING = {
    "fields_are_known": lambda r: r["input"][1].update(surprise=1),
    "ids_have_their_prefix": lambda r: r["input"][3].update(id="call_1"),
    "call_ids_are_short": lambda r: [r["input"][at].update(call_id="x" * 65) for at in (3, 4)],
    "calls_are_whole": lambda r: r["input"][3].update(name="set price"),
    "status_and_content_fit": lambda r: r["input"][2].update(status="failed"),
    "nothing_is_called_up_by_id": lambda r: r["input"][1].pop("encrypted_content"),
    "reasoning_has_its_follower": lambda r: r.update(input=[*r["input"][:3], {**REASONING, "id": "rs_2"}]),
    "every_output_has_its_call": lambda r: r["input"].pop(3),
    "every_call_has_its_output": lambda r: r["input"].pop(),
    "the_ceiling_is_sixteen_at_least": lambda r: r.update(max_output_tokens=15),
}


async def test_a_history_that_keeps_every_rule_is_taken():
    await keeps(RESPONSES, GOOD)
    await keeps(RESPONSES, {**GOOD, "input": "hi"})


@pytest.mark.parametrize("rule", BREAKING)
async def test_a_request_that_breaks_a_rule_is_refused_for_it(rule):
    body = await breaks(RESPONSES, rule, changed(GOOD, BREAKING[rule]))
    assert body["error"]["type"] == "invalid_request_error"


def test_every_rule_is_broken_once():
    """Two need to know what was given; they are broken below."""
    known = {"encrypted_content_is_as_given", "an_item_has_its_reasoning"}
    assert {*BREAKING, *known} == {rule.name for rule in RESPONSES.rules}


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("fields_are_known", lambda r: r.update(max_tokens=5)),
        ("fields_are_known", lambda r: r["input"].insert(1, {"type": "surprise_call"})),
        ("calls_are_whole", lambda r: r["input"][3].update(arguments={})),
        (
            "status_and_content_fit",
            lambda r: r["input"][2].update(content=[{"type": "input_text", "text": "x"}]),
        ),
        ("status_and_content_fit", lambda r: r["input"][0].update(content=None)),
        (
            "nothing_is_called_up_by_id",
            lambda r: r["input"].insert(1, {"type": "item_reference", "id": "rs_9"}),
        ),
        ("reasoning_has_its_follower", lambda r: r["input"].append({**REASONING, "id": "rs_2"})),
        ("reasoning_has_its_follower", lambda r: r["input"].insert(2, {"role": "user", "content": "x"})),
    ],
)
async def test_a_rule_holds_in_its_other_forms_too(rule, change):
    await breaks(RESPONSES, rule, changed(GOOD, change))


async def test_an_item_under_an_id_that_nobody_kept_is_not_found():
    body = await breaks(
        RESPONSES, "nothing_is_called_up_by_id", changed(GOOD, BREAKING["nothing_is_called_up_by_id"])
    )
    assert body["error"]["message"].startswith("Item with id 'rs_1' not found.")


async def test_a_call_that_was_given_with_its_reasoning_comes_back_with_it():
    answer = ODD["call"]("set_price", 1)
    first = {**GOOD, "input": GOOD["input"][:1]}
    whole = {**GOOD, "input": [GOOD["input"][0], REASONING, CALL, OUTPUT]}
    response, provider = await asked(RESPONSES, first, whole, answers=(answer,))
    assert (response.status_code, provider.violations) == (200, [])
    less = changed(whole, lambda r: r["input"].pop(1))
    await breaks(RESPONSES, "an_item_has_its_reasoning", less, before=(first,), answers=(answer,))
    forged = changed(whole, lambda r: r["input"][1].update(encrypted_content="x"))
    await breaks(RESPONSES, "encrypted_content_is_as_given", forged, before=(first,), answers=(answer,))
    nameless = changed(less, lambda r: r["input"][1].pop("id"))
    response, _ = await asked(RESPONSES, first, nameless, answers=(answer,))
    assert response.status_code == 200, "a call without the item's id is a call of anybody's"
