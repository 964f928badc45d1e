"""The page of field cases, made from the cases: `python -m tests.strict.page` writes `docs/field-cases.md`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

CASES: Final = Path(__file__).with_name("field_cases.jsonl")
PAGE: Final = Path(__file__).parents[2] / "docs" / "field-cases.md"
KINDS: Final[Mapping[str, str]] = {
    "history": "History that a provider refuses",
    "answer": "What an answer is",
    "payment": "What a failed attempt may cost",
    "status": "A bare status decides nothing",
    "price": "Price by what was bought",
    "preflight": "Preflight like play",
    "vendor": "Vendors' names of fields",
    "also": "Overload, and whose fault a parameter is",
}
_HEAD: Final = """# Field cases

What providers, gateways and servers were reported to do in public, and what became of it here. Each case stands in
`tests/strict/field_cases.jsonl` with what went over the wire; this page is made from it by `python -m tests.strict.page`.
A verdict is `open` until a test shows the case handled, and then names what was decided.
"""


def cases() -> Sequence[Mapping[str, Any]]:
    """Return the cases in their order."""
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def page(listed: Sequence[Mapping[str, Any]]) -> str:
    """Return the page: one table a kind."""
    parts = [_HEAD]
    for kind, title in KINDS.items():
        rows = [_row(case) for case in listed if case["kind"] == kind]
        parts.append(
            "\n".join(
                [
                    f"## {title}\n",
                    "| id | wire | what was seen | source | verdict |",
                    "| --- | --- | --- | --- | --- |",
                    *rows,
                ]
            )
            + "\n"
        )
    return "\n".join(parts)


def _row(case: Mapping[str, Any]) -> str:
    place = case["source"].removeprefix("https://github.com/").replace("/issues/", "#").replace("/pull/", "#")
    cells = [case["id"], case["wire"], case["what_happened"], f"[{place}]({case['source']})", case["verdict"]]
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


if __name__ == "__main__":
    PAGE.write_text(page(cases()), encoding="utf-8")
