"""Private files: what may be written, under which names, and that nothing leads out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.tools.arguments import RefusedCall
from agents.llm.tools.private_files import checked_path
from tests.llm.rig import Rig, call, reply, seal

BAD_PATHS = [
    "", "/", "/etc/passwd", "../x", "a/../b", "a/..", "..", ".", "./a", "a//b", "a/", "~/x/..", "C:\\x", "a\\b",
    "a b", "a\x00b", "ａ.md", "a\u202eb", "nul", "CON.txt", "a/aux", "com1", "ends.", "...", "é.md", "a:b", "-\n",
    "x" * 201, "file:///etc", "%2e%2e/x", "a\n", "\u2024\u2024/x", "MEMORY.md ",
    ".git/HEAD", ".git/config", ".git/objects/x", ".git/refs/x", ".envrc", ".hidden", "a/.env", "..a", "-rf", "--help",
    "-x", "a/-b", "notes/--output=x",
]  # fmt: skip


async def act(*calls: dict[str, Any], files: dict[str, str] | None = None) -> Rig:
    queue = [*(reply(item) for item in calls), seal()]
    rig = Rig(lambda request, ordinal: queue.pop(0))
    rig.store.private.update(files or {})
    await rig.play()
    return rig


@pytest.mark.parametrize("path", BAD_PATHS)
async def test_a_path_that_is_not_plain_and_relative_is_refused_by_every_tool(path: str) -> None:
    rig = await act(
        call("write_file", {"path": path, "text": "x"}),
        call("read_file", {"path": path}),
        call("edit_file", {"path": path, "old": "a", "new": "b"}),
        call("delete_file", {"path": path}),
    )
    assert rig.store.private == {}
    assert len(rig.results()) == 4
    assert not any(body["done"] for body in rig.bodies("result"))


@pytest.mark.parametrize(
    "path", ["MEMORY.md", "a", "a/b/c.txt", "_x", "notes_2/day-7.csv", "a..b", "conftest.py"]
)
async def test_plain_paths_are_allowed(path: str) -> None:
    rig = await act(call("write_file", {"path": path, "text": "x"}))
    assert rig.store.private == {path: "x"}


@given(st.text(max_size=40))
def test_whatever_path_is_accepted_stays_inside(path: str) -> None:
    try:
        assert checked_path(path) == path
    except RefusedCall:
        return
    assert path.isascii()
    assert not path.startswith("/")
    assert not any(step.startswith((".", "-")) for step in path.split("/"))


async def test_a_file_is_written_read_in_parts_edited_listed_and_deleted() -> None:
    rig = await act(
        call("write_file", {"path": "a.md", "text": "hello wörld"}),
        call("read_file", {"path": "a.md", "offset": 6, "limit": 3}),
        call("edit_file", {"path": "a.md", "old": "hello", "new": "bye"}),
        call("list_files"),
        call("delete_file", {"path": "a.md"}),
        call("read_file", {"path": "a.md"}),
    )
    told = rig.results()
    assert json.loads(told[0]) == {"written": "a.md", "created": True, "characters": 11, "bytes": 12}
    part = json.loads(told[1])
    assert (part["text"], part["offset"], part["next_offset"], part["characters"]) == ("wör", 6, 9, 11)
    assert json.loads(told[3])["files"] == [{"path": "a.md", "characters": 9}]
    assert "There is no file a.md" in told[5]
    assert rig.store.private == {}


async def test_an_edit_counts_occurrences_that_overlap() -> None:
    rig = await act(call("edit_file", {"path": "a", "old": "aa", "new": "b"}), files={"a": "aaa"})
    assert rig.store.private == {"a": "aaa"}
    assert "occurs more than once" in rig.results()[0]


async def test_an_edit_needs_text_that_occurs_exactly_once() -> None:
    rig = await act(
        call("edit_file", {"path": "a", "old": "x", "new": "y"}),
        call("edit_file", {"path": "a", "old": "z", "new": "y"}),
        call("edit_file", {"path": "a", "old": "", "new": "y"}),
        files={"a": "x x"},
    )
    assert rig.store.private == {"a": "x x"}
    assert "occurs more than once" in rig.results()[0]
    assert "does not occur" in rig.results()[1]


async def test_a_file_of_more_than_a_megabyte_is_refused_by_bytes() -> None:
    rig = await act(
        call("write_file", {"path": "big", "text": "é" * 500_001}),
        call("write_file", {"path": "fits", "text": "x" * 1_000_000}),
        call("edit_file", {"path": "fits", "old": "x" * 999_999 + "x", "new": "y" * 1_000_001}),
    )
    assert set(rig.store.private) == {"fits"}
    assert rig.store.private["fits"] == "x" * 1_000_000
    assert "1000002 bytes, at most 1000000" in rig.results()[0]


async def test_the_201st_file_is_refused_but_an_old_one_can_be_rewritten() -> None:
    rig = await act(
        call("write_file", {"path": "new", "text": "x"}),
        call("write_file", {"path": "f7", "text": "y"}),
        files={f"f{at}": "x" for at in range(200)},
    )
    assert len(rig.store.private) == 200
    assert rig.store.private["f7"] == "y"
    assert "at most 200" in rig.results()[0]


@pytest.mark.parametrize("text", ["a\x00b", "\x1b[2J", "bell\x07", "\x7f", "\x85", "half \ud800"])
async def test_arg_17_binary_and_control_content_is_refused_by_one_rule(text: str) -> None:
    rig = await act(call("write_file", {"path": "a", "text": text}))
    assert rig.store.private == {}


async def test_a_file_cannot_stand_where_another_needs_a_folder_or_another_spelling() -> None:
    rig = await act(
        call("write_file", {"path": "a/b", "text": "x"}),
        call("write_file", {"path": "a", "text": "x"}),
        call("write_file", {"path": "a/b/c", "text": "x"}),
        call("write_file", {"path": "A/B", "text": "x"}),
    )
    assert rig.store.private == {"a/b": "x"}


async def test_files_survive_a_reset_and_the_next_window() -> None:
    rig = await act(call("write_file", {"path": "a", "text": "x"}), call("reset_decision"))
    assert rig.store.private == {"a": "x"}
