"""Tables for the manual, written from the code: `python -m agents.llm.document docs/harness.md`.

Replaces what stands between the markers of each generated part and leaves the rest of the page alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from agents.llm.accounting.usage import column_meanings
from agents.llm.audit.trace import EVENT_BYTES
from agents.llm.audit.trace import FILE_BYTES as TRACE_BYTES
from agents.llm.prompt import MEMORY_CHARACTERS
from agents.llm.sql import worker
from agents.llm.sql.pool import PROCESSOR_SECONDS
from agents.llm.text import RESULT_BYTES
from agents.llm.tools.arguments import DEFAULT_ROWS, MOST_ROWS, SQL_CHARACTERS
from agents.llm.tools.harness import HARNESS_TOOLS
from agents.llm.tools.private_files import FILE_BYTES, FILES, PATH_CHARACTERS
from agents.llm.toolset import description
from agents.llm.window.budget import CALLS_PER_REPLY, CLOSING_REPLIES, Budgets
from tournament.errors import InputError

_PART: Final = "<!-- generated: {name} -->\n"
_END: Final = "<!-- end of generated part -->"


def parts() -> Mapping[str, str]:
    """Return every generated part by name."""
    return {
        "tools": _table(
            ("tool", "does"),
            [
                (f"`{tool.name}({', '.join(tool.arguments.model_fields)})`", description(tool))
                for tool in HARNESS_TOOLS
            ],
        ),
        "limits": _table(("limit", "value"), _limits()),
        "functions": ", ".join(f"`{name}`" for name in sorted(worker.FUNCTIONS)) + "\n",
        "usage": _table(
            ("column", "type", "meaning"),
            [(f"`{name}`", kind, meaning) for name, kind, meaning in column_meanings()],
        ),
    }


def _limits() -> list[tuple[str, str]]:
    budgets = Budgets()
    return [
        (
            "accounting-valid replies a window",
            f"{budgets.replies}, finalization at {budgets.working_replies}",
        ),
        ("generated tokens a window", f"{budgets.tokens}, finalization at {budgets.working_tokens}"),
        ("active seconds a window", f"{budgets.seconds}, finalization at {budgets.working_seconds:g}"),
        ("replies in finalization", str(CLOSING_REPLIES)),
        ("calls run of one reply", str(CALLS_PER_REPLY)),
        ("tool result, bytes", str(RESULT_BYTES)),
        ("MEMORY.md shown, characters", str(MEMORY_CHARACTERS)),
        ("SQL statement, characters", str(SQL_CHARACTERS)),
        ("rows of a query", f"{DEFAULT_ROWS}, at most {MOST_ROWS}"),
        ("result of a query, bytes", str(worker.RESULT_BYTES)),
        ("one value of a query, bytes", str(worker.VALUE_BYTES)),
        ("steps of a query", str(worker.STEPS)),
        ("seconds of processor time of a query (backstop)", f"{PROCESSOR_SECONDS:g}"),
        ("memory of the SQL engine, bytes", str(worker.HEAP_BYTES)),
        ("private files", str(FILES)),
        ("private file, bytes", str(FILE_BYTES)),
        ("path of a private file, characters", str(PATH_CHARACTERS)),
        ("trace event, bytes", str(EVENT_BYTES)),
        ("trace file, bytes", str(TRACE_BYTES)),
    ]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def filled(page: str) -> str:
    """Return the page with every generated part brought up to date; raises InputError for a missing one."""
    for name, text in parts().items():
        mark = _PART.format(name=name)
        found = re.findall(re.escape(mark) + ".*?" + re.escape(_END), page, re.DOTALL)
        if len(found) != 1:
            raise InputError(f"the page holds the part {name!r} {len(found)} times; once is needed")
        page = page.replace(found[0], f"{mark}\n{text}\n{_END}")
    return page


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.write_text(filled(target.read_text(encoding="utf-8")), encoding="utf-8")
