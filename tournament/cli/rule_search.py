"""`tournament rule-search`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tournament.cli.output import amount, columns, emit, processors, say

SIGN: Final = "$"  # the search is of a market in dollars

if TYPE_CHECKING:
    from tournament.experiments.rule_search import Search


def register(app: typer.Typer) -> None:
    app.command("rule-search", epilog="Example: tournament rule-search --jobs 2")(rule_search)


def rule_search(
    out: Annotated[
        Path | None, typer.Option(help="Folder for rule_search.csv and rule_search.json.", metavar="DIR")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Worker processes [default: one a core].")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Search the 24 fixed rules for the reference policy, as the paper's Appendix C does.

    Plays 72 development and 3 validation worlds of nine Rule firms and compares the outcome with
    the market's specification.
    """
    from tournament.experiments.rule_search import facts, search, write_search

    def note(text: str) -> None:
        say(text, to_stderr=True)

    found = search(jobs or processors(), note)
    if out is not None:
        write_search(found, out)
    if as_json:
        emit(facts(found))
    else:
        say(_text(found))


def _text(found: Search) -> str:
    rows = [("rank", "candidate", "scope", "price", "spending", "floor", *map(str, found.seeds), "mean")]
    for rank, row in enumerate(found.ranked, start=1):
        candidate = row.candidate
        rows.append(
            (
                str(rank),
                str(candidate.number),
                candidate.scope,
                f"{candidate.multiplier:.1f}",
                candidate.spending,
                amount(candidate.floor_cents, SIGN),
                *(amount(score, SIGN) for score in row.scores_cents),
                amount(row.mean_cents, SIGN),
            )
        )
    winner = found.ranked[0].candidate.number
    tied = [row.candidate.number for row in found.ranked[1:] if row.mean_cents == found.ranked[0].mean_cents]
    lines = [columns(rows, right=(0, 1, 3, 5, 6, 7, 8, 9)), ""]
    lines.append(f"winner: candidate {winner}" + (f", tied with {', '.join(map(str, tied))}" if tied else ""))
    ranks = ", ".join(map(str, found.validation_ranks))
    lines.append(f"validation: mean {amount(found.validation_mean_cents, SIGN)}, ranks of nine {ranks}")
    lines += [
        f"{'agrees' if line.agrees else 'DEPARTS'}: {line.what}: {line.found} (specification: {line.expected})"
        for line in found.comparison
    ]
    return "\n".join(lines)
