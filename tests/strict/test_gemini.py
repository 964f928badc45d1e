"""The strict generateContent refuses what breaks a rule of Gemini's and takes what keeps all."""

from __future__ import annotations

import pytest

from tests.strict.asking import breaks, changed, keeps
from tests.strict.gemini_rules import GEMINI

CALL = {"functionCall": {"name": "set_price", "args": {"price": 1}}, "thoughtSignature": "U0lH"}
RESULT = {"functionResponse": {"name": "set_price", "response": {"content": "done"}}}
GOOD = {
    "contents": [
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [{"text": "hm", "thought": True}, CALL]},
        {"role": "user", "parts": [RESULT]},
    ],
    "systemInstruction": {"parts": [{"text": "S"}]},
    "tools": [{"functionDeclarations": [{"name": "set_price"}]}],
}


def _parts(request, at):
    return request["contents"][at]["parts"]


BREAKING = {
    "roles_are_user_and_model": lambda r: r["contents"][1].update(role="assistant"),
    "parts_are_not_empty": lambda r: r["contents"].insert(1, {"role": "user", "parts": []}),
    "fields_are_known": lambda r: _parts(r, 0)[0].update(surprise=1),
    "each_part_holds_something": lambda r: _parts(r, 1).insert(0, {"text": ""}),
    "calls_and_results_are_objects": lambda r: _parts(r, 2)[0]["functionResponse"].update(response="done"),
    "calls_follow_the_user": lambda r: r["contents"].pop(0),
    "results_follow_calls": lambda r: r["contents"].append({"role": "user", "parts": [RESULT]}),
    "as_many_results_as_calls": lambda r: _parts(r, 1).append(CALL),
    "signatures_come_back": lambda r: _parts(r, 1)[1].pop("thoughtSignature"),
    "the_user_is_last": lambda r: r["contents"].append({"role": "model", "parts": [{"text": "So."}]}),
}


async def test_a_history_that_keeps_every_rule_is_taken():
    await keeps(GEMINI, GOOD)


@pytest.mark.parametrize("rule", BREAKING)
async def test_a_request_that_breaks_a_rule_is_refused_for_it(rule):
    body = await breaks(GEMINI, rule, changed(GOOD, BREAKING[rule]))
    assert (body["error"]["code"], body["error"]["status"]) == (400, "INVALID_ARGUMENT")


def test_every_rule_is_broken_once():
    assert set(BREAKING) == {rule.name for rule in GEMINI.rules}


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("roles_are_user_and_model", lambda r: r.update(contents=[])),
        ("calls_and_results_are_objects", lambda r: _parts(r, 1)[1]["functionCall"].update(name="")),
        ("calls_and_results_are_objects", lambda r: _parts(r, 1)[1]["functionCall"].update(args=[])),
        (
            "calls_follow_the_user",
            lambda r: r["contents"].insert(1, {"role": "model", "parts": [{"text": "a"}]}),
        ),
        ("as_many_results_as_calls", lambda r: r["contents"].pop()),
    ],
)
async def test_a_rule_holds_in_its_other_forms_too(rule, change):
    await breaks(GEMINI, rule, changed(GOOD, change))


async def test_signatures_are_asked_for_since_the_user_last_spoke_and_of_the_first_call_alone():
    older = changed(GOOD, lambda r: _parts(r, 1)[1].pop("thoughtSignature"))
    older["contents"].append({"role": "user", "parts": [{"text": "go on"}]})
    await keeps(GEMINI, older)
    second = {"functionCall": CALL["functionCall"]}
    both = changed(GOOD, lambda r: (_parts(r, 1).append(second), _parts(r, 2).append(RESULT)))
    await keeps(GEMINI, both)


async def test_names_may_be_written_as_protobuf_writes_them():
    snake = {"function_call": CALL["functionCall"], "thought_signature": "U0lH"}
    spelt = changed(GOOD, lambda r: _parts(r, 1).__setitem__(1, snake))
    await keeps(GEMINI, spelt)
