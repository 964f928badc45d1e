"""accounts.csv: every effect split into the accounts that make it, exactly, in cents.

A Score is cash and salvage, and cash is what came in less what went out, so the difference of two
Scores is the sum of the differences of their accounts. Costs are shown as contributions: a rival that
spends less on marketing has a positive marketing part. Demand capture and rivals' spending responses
(CEO Arena, section 4.4) are read off as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field, create_model

from externalities.columns import ACCOUNT_SIGNS, INCOME, SALVAGE, ScoreKind, account_columns
from externalities.design import ReferenceSet
from externalities.estimands import Pair
from externalities.outcomes import Cents, PlayedWorld
from externalities.rows import Row, TableSpec
from lineups.values import Draw
from tournament.errors import DamageError

COUNTS = ("units_sold", "consumer_orders", "tenders_won")
SPENDING = tuple(name for name in ACCOUNT_SIGNS if name not in (INCOME, SALVAGE))


class _Keys(Row):
    estimand: str = Field(description="private, directed, or total (all rivals together)")
    entrant: str = Field(description="contestant that was replaced")
    rival: str = Field(description="contestant whose Score is split; empty but for directed")
    reference: str = Field(description="contestant that took the entrant's seat")


class _Draws(_Keys):
    rotation: int = Field(description="cyclic seat shift of the lineup")
    seed: int = Field(description="economic seed")
    repeat: int = Field(description="repeat of the seed, from 1")


def _part(account: str) -> str:
    verb = "difference" if ACCOUNT_SIGNS[account] > 0 else "saving: the difference of the cost, negated"
    return f"contribution of {account}: {verb}"


_UNITS = {
    "units_sold": "difference of units delivered",
    "consumer_orders": "difference of consumer units ordered; empty where outcomes do not count them",
    "tenders_won": "difference of tenders won",
}


def _fields(cents: type, count: type) -> dict[str, Any]:
    """Return the columns that the list of accounts decides, as field definitions."""
    return {
        "effect_cents": (cents, Field(description="the effect: the sum of the parts")),
        **{f"{name}_cents": (cents, Field(description=_part(name))) for name in ACCOUNT_SIGNS},
        "spending_cents": (
            cents,
            Field(description="all cost parts together: everything but revenue and salvage"),
        ),
        **{name: (count | None, Field(description=_UNITS[name])) for name in COUNTS},
    }


AccountRow: type[Row] = create_model(
    "AccountRow",
    __base__=_Draws,
    __doc__="One effect of a matched pair as the sum of its parts.",
    **_fields(int, int),
)
AccountMeanRow: type[Row] = create_model(
    "AccountMeanRow",
    __base__=_Keys,
    __doc__="The parts of an effect, repeats averaged within a seed, then seeds.",
    clusters=(int, Field(description="seeds with an observation")),
    **_fields(float, float),
)

ACCOUNTS = TableSpec(
    file="accounts.csv", row=AccountRow, description="Every effect split into its accounts, exactly."
)
ACCOUNTS_SUMMARY = TableSpec(
    file="accounts_summary.csv", row=AccountMeanRow, description="The same split, averaged over seeds."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """One effect of one pair: its cents and the parts by column, which sum to it."""

    estimand: str
    entrant: str
    rival: str
    draw: Draw
    effect: int
    parts: Mapping[str, int | None]


def splits(pairs: Sequence[Pair], kind: ScoreKind) -> list[Split]:
    """Return the private, directed and total effects of every pair with their parts (CEO Arena, section 4.4).

    Raises DamageError where the accounts of a firm do not make its Score.
    """
    checked: set[str] = set()
    found: list[Split] = []
    for pair in pairs:
        for world in (pair.control, pair.treated):
            if world.world not in checked:
                require_balance(world)
                checked.add(world.world)
        found.append(_split("private", "", pair, pair.replaced, kind))
        found += [_split("directed", pair.control.seats[seat], pair, (seat,), kind) for seat in pair.rivals]
        if pair.rivals:
            found.append(_split("total", "", pair, pair.rivals, kind))
    return found


def require_balance(world: PlayedWorld) -> None:
    """Raise DamageError unless cash moves by the accounts and Score by cash and salvage, for every seat.

    Firms start alike, so final cash less the signed accounts is one constant, and so is Score less
    final cash and salvage.
    """
    metrics = world.metrics
    flows = sum_signed(metrics, account_columns("cash"))
    starts = metrics["final_cash_cents"] - flows
    values = metrics["score_cents"] - metrics["final_cash_cents"] - metrics["salvage_cents"]
    for name, constant in (("cash", starts), ("Score", values)):
        if (constant != constant[0]).any():
            seat = int(np.argmax(constant != constant[0])) + 1
            raise DamageError(f"{world.world}: the accounts of seat {seat} do not make its {name}")


def sum_signed(metrics: Mapping[str, Cents], accounts: Sequence[str]) -> Cents:
    """Return the signed sum of accounts by seat, in cents."""
    table = np.array([ACCOUNT_SIGNS[name] * metrics[f"{name}_cents"] for name in accounts])
    total: Cents = table.sum(axis=0)
    return total


def _split(estimand: str, rival: str, pair: Pair, seats: Sequence[int], kind: ScoreKind) -> Split:
    present, absent = pair.control, pair.treated
    parts: dict[str, int | None] = {f"{name}_cents": 0 for name in ACCOUNT_SIGNS}
    for name in account_columns(kind):
        column = f"{name}_cents"
        change = _change(present.metrics[column], absent.metrics[column], seats)
        parts[column] = ACCOUNT_SIGNS[name] * change
    effect = _change(present.scores(kind), absent.scores(kind), seats)
    if sum(part for part in parts.values() if part is not None) != effect:
        raise DamageError(f"{pair.treated.world}: the parts of a {estimand} effect do not sum to it")
    parts["spending_cents"] = sum(parts[f"{name}_cents"] or 0 for name in SPENDING)
    for name in COUNTS:
        counted = name in present.metrics and name in absent.metrics
        parts[name] = _change(present.metrics[name], absent.metrics[name], seats) if counted else None
    return Split(
        estimand=estimand, entrant=pair.entrant, rival=rival, draw=pair.draw, effect=effect, parts=parts
    )


def _change(present: Cents, absent: Cents, seats: Sequence[int]) -> int:
    return sum(int(present[seat]) - int(absent[seat]) for seat in seats)


def account_rows(group: ReferenceSet, found: Sequence[Split]) -> list[Row]:
    """Return one row an effect and pair, in the contract's order."""
    return [
        AccountRow.model_validate(
            {
                "estimand": split.estimand,
                "entrant": split.entrant,
                "rival": split.rival,
                "reference": group.reference,
                "rotation": split.draw.rotation,
                "seed": split.draw.seed,
                "repeat": split.draw.repeat,
                "effect_cents": split.effect,
                **split.parts,
            }
        )
        for split in found
    ]


def account_mean_rows(group: ReferenceSet, found: Sequence[Split]) -> list[Row]:
    """Return the parts averaged over repeats within a seed, then over seeds (CEO Arena, section 4.4)."""
    by_effect: dict[tuple[str, str, str], dict[int, list[Split]]] = {}
    for split in found:
        key = (split.estimand, split.entrant, split.rival)
        by_effect.setdefault(key, {}).setdefault(split.draw.seed, []).append(split)
    return [
        AccountMeanRow.model_validate(
            {
                "estimand": estimand,
                "entrant": entrant,
                "rival": rival,
                "reference": group.reference,
                "clusters": len(seeds),
                "effect_cents": _mean([[split.effect for split in seed] for seed in seeds.values()]),
                **{
                    column: _mean([[split.parts[column] for split in seed] for seed in seeds.values()])
                    for column in next(iter(seeds.values()))[0].parts
                },
            }
        )
        for (estimand, entrant, rival), seeds in by_effect.items()
    ]


def _mean(seeds: Sequence[Sequence[int | None]]) -> float | None:
    """Return the mean of seed means, or None where a value was not counted."""
    means = []
    for values in seeds:
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None
        means.append(sum(known) / len(known))
    return sum(means) / len(means)
