"""salvage.csv: which ranks and signs change when terminal salvage is left out of the Score.

The paper rescored its recorded outcomes without salvage (CEO Arena, sections 4.2 and 4.3); decisions and
trajectories are held fixed, so this says nothing of what firms would do under another score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field

from externalities.rows import Row, TableSpec


class SalvageRow(Row):
    """A rank or a sign on Score and on the cash-only score."""

    quantity: str = Field(
        description="`rank`: by Mean Score; private, directed, total, market: sign of the mean over seeds"
    )
    reference: str = Field(description="reference set, or the contestant that took the entrant's seat")
    contestant: str = Field(description="contestant ranked, or entrant")
    rival: str = Field(description="rival of a directed effect, else empty")
    score_cents: float | None = Field(description="the mean on Score")
    cash_cents: float | None = Field(description="the mean on the cash-only score")
    on_score: str = Field(description="rank or sign on Score; empty where undefined")
    on_cash: str = Field(description="rank or sign on the cash-only score")
    changes: bool | None = Field(description="whether it changes; empty where undefined")


SALVAGE_TABLE = TableSpec(
    file="salvage.csv", row=SalvageRow, description="Ranks and signs on Score and without salvage."
)

Means = Mapping[tuple[str, str, str, str], float | None]
Ranks = Mapping[tuple[str, str], int | None]


def salvage_rows(means: tuple[Means, Means], ranks: tuple[Ranks, Ranks]) -> list[SalvageRow]:
    """Return ranks, then signs; means are by (quantity, reference, contestant, rival), Score first.

    Source: CEO Arena, sections 4.2 and 4.3.
    """
    on_score, on_cash = means
    rows = [
        SalvageRow(
            quantity="rank",
            reference=reference,
            contestant=name,
            rival="",
            score_cents=on_score["rank", reference, name, ""],
            cash_cents=on_cash["rank", reference, name, ""],
            on_score=_text(ranks[0][reference, name]),
            on_cash=_text(ranks[1][reference, name]),
            changes=_changes(ranks[0][reference, name], ranks[1][reference, name]),
        )
        for reference, name in ranks[0]
    ]
    for key, value in on_score.items():
        if key[0] != "rank":
            first, second = sign(value), sign(on_cash[key])
            rows.append(
                SalvageRow(
                    quantity=key[0],
                    reference=key[1],
                    contestant=key[2],
                    rival=key[3],
                    score_cents=value,
                    cash_cents=on_cash[key],
                    on_score=first or "",
                    on_cash=second or "",
                    changes=_changes(first, second),
                )
            )
    return rows


def changes(rows: Sequence[SalvageRow]) -> dict[str, dict[str, dict[str, int]]]:
    """Return by reference and quantity how many ranks or signs change, of how many."""
    counts: dict[str, dict[str, dict[str, int]]] = {}
    for row in rows:
        if row.changes is not None:
            tally = counts.setdefault(row.reference, {}).setdefault(row.quantity, {"changed": 0, "of": 0})
            tally["changed"] += row.changes
            tally["of"] += 1
    return counts


def sign(value: float | None) -> str | None:
    """Return `+`, `-` or `0`, None for an undefined number."""
    if value is None:
        return None
    return "+" if value > 0 else "-" if value < 0 else "0"


def _text(rank: int | None) -> str:
    return "" if rank is None else str(rank)


def _changes(first: object | None, second: object | None) -> bool | None:
    return None if first is None or second is None else first != second
