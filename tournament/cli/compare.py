"""`tournament compare`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.cli.output import columns, emit, say

if TYPE_CHECKING:
    from reports.compare import Compared
    from reports.compare_text import Block


class Format(StrEnum):
    """How to print a comparison."""

    TABLE = "table"
    CSV = "csv"
    MD = "md"


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament compare runs/panel-1a2b3c4d runs/panel-5e6f7a8b")(compare)


def compare(
    runs: Annotated[list[Path], typer.Argument(help="Run directories, two or more.", metavar="RUN...")],
    form: Annotated[
        Format, typer.Option("--format", help="Text, every value as CSV, or Markdown.")
    ] = Format.TABLE,
    across_sources: Annotated[
        bool,
        typer.Option("--across-sources", help="Also compare runs of different sources, and say so."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Put runs side by side where scenario, sources and design make them comparable; say why where not.

    Each run stands beside the first one that it is comparable with. Values are those of the runs' own
    tables; a difference is shown only for the same seat, rivals, reference policy and draws. Contestants
    are matched by identity, then by seat. Exits with 2 where nothing is comparable.
    """
    from dataclasses import asdict

    from externalities.rows import csv_text
    from reports.compare import ComparedRow
    from reports.compare import compare as compared
    from tournament.errors import InputError

    if len(runs) < 2:
        raise InputError("a comparison needs two runs or more")
    found = compared(runs, across_sources=across_sources)
    rows = [row for item in found.comparisons for row in item.rows]
    if as_json:
        emit(
            {
                "comparisons": [
                    {**asdict(item), "rows": [row.model_dump(mode="json") for row in item.rows]}
                    for item in found.comparisons
                ],
                "alone": list(found.alone),
            }
        )
    elif form is Format.CSV:
        say(csv_text(ComparedRow, rows).removesuffix("\n"))
        for line in found.alone:
            say(f"not side by side: {line}", to_stderr=True)
    else:
        say(_text(found, form))


def _text(found: Compared, form: Format) -> str:
    from reports.compare_text import Letters, aside, blocks, markdown, notes

    parts: list[str] = []
    for item in found.comparisons:
        letters = Letters()
        tables = blocks(item, letters, everything=form is Format.MD)
        studies = f"study {item.run_study} against {item.base_study}, scenario {item.scenario}"
        title = f"{item.run} against {item.base}: {studies}"
        below = notes(item, letters)
        if form is Format.MD:
            parts += [f"## {title}", *map(markdown, tables), "\n".join(f"- {line}" for line in below)]
        else:
            parts += [title, *map(_aligned, tables), "\n".join(below)]
    parts.append("\n".join(aside(found)))
    return "\n\n".join(part for part in parts if part)


def _aligned(block: Block) -> str:
    last = len(block.head) - 1
    return f"{block.title}\n" + columns([block.head, *block.rows], right=range(block.left, last))
