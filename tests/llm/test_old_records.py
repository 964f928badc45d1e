"""Journals of earlier versions name another model's reply `foreign`: every reader knows it as what it is."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from agents.llm.accounting.usage import account_of
from agents.llm.audit.redaction import public_trace
from agents.llm.audit.trace import trace_lines
from agents.llm.policy import LLM
from tests.llm.rig import Rig, by_ordinal, call, reply, seal
from tournament.errors import IdentityMismatch
from tournament.records import Record


async def suspended() -> Rig:
    other = reply(call("buy_press", {"presses": 1}), reasoning_content="PRIVATE")
    fault = IdentityMismatch("answered by gateway.example", route="scripted", reply=other)
    rig = Rig(by_ordinal(fault))
    with pytest.raises(IdentityMismatch):
        await rig.play()
    return rig


def as_then(records: list[Record]) -> list[Record]:
    return [
        replace(record, kind="foreign") if record.kind == "identity_mismatch" else record
        for record in records
    ]


async def test_an_old_record_of_another_models_reply_is_sound_counted_and_published_without_its_words() -> (
    None
):
    rig = await suspended()
    now = list(rig.store.records(0))
    old = as_then(now)
    assert [record.kind for record in old] == ["open", "intent", "foreign"]
    assert LLM.record_fault(old, closed=False) == ""
    assert account_of(old) == account_of(now)
    assert account_of(old).foreign_replies == 1
    assert json.loads(list(trace_lines([old]))[-1])["kind"] == "foreign"
    public = "".join(public_trace([old]))
    assert "gateway.example" not in public
    assert "PRIVATE" not in public


async def test_a_window_with_an_old_record_goes_on() -> None:
    rig = await suspended()
    rig.store.events = [
        (window, kind.replace("identity_mismatch", "foreign"), body)
        for window, kind, body in rig.store.events
    ]
    again = Rig(by_ordinal(seal()), store=rig.store)
    assert (await again.play()).state == "sealed"
    assert LLM.record_fault(list(rig.store.records(0)), closed=True) == ""
