"""The audit trace: every request and reply, cut where it must be, equal after any interruption."""

from __future__ import annotations

import json

from agents.llm.trace import EVENT_BYTES, FILE_BYTES, event_line, trace_lines
from tests.llm.rig import Rig, by_ordinal, call, reply, say, seal
from tournament.records import Record


async def test_the_trace_holds_every_request_and_reply_of_a_window() -> None:
    rig = Rig(by_ordinal(reply(call("set_price", {"product": "tea", "cents": 7})), say("hm"), seal("why")))
    await rig.play()
    events = [json.loads(line) for line in trace_lines([rig.store.records(0)])]
    assert [event["kind"] for event in events] == rig.kinds()
    whole = json.dumps(events)
    for message in rig.route.requests[-1].messages:
        text = message["content"]
        assert text is None or json.dumps(text)[1:-1] in whole
    assert "cut" not in events[0]


async def test_large_events_are_cut_and_marked_and_change_no_decision() -> None:
    rig = Rig(by_ordinal(say("ü" * 200_000), seal()))
    choice = await rig.play()
    assert choice.state == "sealed"
    lines = list(trace_lines([rig.store.records(0)]))
    assert all(len(line.encode()) <= EVENT_BYTES for line in lines)
    event = json.loads(lines[2])
    assert event["cut"] is True
    assert "of 400000 bytes]" in event["body"]["message"]["content"]


def test_an_event_of_very_many_small_parts_is_cut_as_well() -> None:
    record = Record(
        sequence=0, window=0, kind="answers", body={"answers": [[at, "x"] for at in range(50_000)]}
    )
    line = event_line(record)
    assert len(line.encode()) <= EVENT_BYTES
    assert json.loads(line)["cut"] is True


def test_a_file_ends_at_16_mib_and_says_so() -> None:
    records = [
        Record(sequence=at, window=0, kind="reply", body={"message": {"content": "x" * 60_000}})
        for at in range(400)
    ]
    lines = list(trace_lines([records]))
    assert sum(len(line.encode()) + 1 for line in lines) <= FILE_BYTES
    assert "the journal holds the rest" in lines[-1]
