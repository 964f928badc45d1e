"""accounts.csv: every effect split into the accounts that make it, exactly, in cents.

A Score is a constant and the signed sum of the accounts that its market declares, so the difference of
two Scores is the sum of the differences of their accounts. Costs are shown as contributions: a rival
that spends less has a positive part. Demand capture and rivals' spending responses (CEO Arena, section
4.4) are read off as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from pydantic import Field, create_model

from externalities.design import ReferenceSet
from externalities.estimands import Pair
from externalities.outcomes import Cents, PlayedWorld
from externalities.rows import Row, TableSpec
from lineups.values import Draw
from tournament.errors import DamageError
from tournament.published import EffectAccount, OutcomeColumn, Published, ScoreKind

SPENT: Final = ("goods", "spending")
SPENDING: Final = "spending_cents"


_NAMES: Final[Mapping[ScoreKind, str]] = {"score": "Score", "cash": "cash-only score"}


class _Keys(Row):
    estimand: str = Field(description="private, directed, or total (all rivals together)")
    entrant: str = Field(description="contestant that was replaced")
    rival: str = Field(description="contestant whose Score is split; empty but for directed")
    reference: str = Field(description="contestant that took the entrant's seat")


class _Draws(_Keys):
    rotation: int = Field(description="cyclic seat shift of the lineup")
    seed: int = Field(description="economic seed")
    repeat: int = Field(description="repeat of the seed, from 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTables:
    """The two tables, whose columns are the market's accounts and the counts beside them."""

    accounts: TableSpec
    summary: TableSpec


@cache
def account_tables(published: Published) -> AccountTables:
    """Return the tables of a market's accounts, the same ones for equal declarations."""
    row: type[Row] = create_model(
        "AccountRow",
        __base__=_Draws,
        __doc__="One effect of a matched pair as the sum of its parts.",
        **_fields(published, int, int),
    )
    mean: type[Row] = create_model(
        "AccountMeanRow",
        __base__=_Keys,
        __doc__="The parts of an effect, repeats averaged within a seed, then seeds.",
        clusters=(int, Field(description="seeds with an observation")),
        **_fields(published, float, float),
    )
    return AccountTables(
        accounts=TableSpec(
            file="accounts.csv", row=row, description="Every effect split into its accounts, exactly."
        ),
        summary=TableSpec(
            file="accounts_summary.csv", row=mean, description="The same split, averaged over seeds."
        ),
    )


def _fields(published: Published, cents: type, count: type) -> dict[str, Any]:
    """Return the columns that the market's accounts decide, as field definitions."""
    columns = {column.name: column for column in published.columns}
    return {
        "effect_cents": (cents, Field(description="the effect: the sum of the parts")),
        **{_column(account): (cents, Field(description=_part(account))) for account in published.accounts},
        SPENDING: (
            cents,
            Field(description="all cost parts together: everything but income and what counts at the end"),
        ),
        **{
            name: (count | None, Field(description=_counted(columns[name])))
            for name in published.effect_counts
        },
    }


def _column(account: EffectAccount) -> str:
    return f"{account.name}_cents"


def _part(account: EffectAccount) -> str:
    verb = "difference" if account.sign > 0 else "saving: the difference of the cost, negated"
    return f"contribution of {account.name}: {verb}"


def _counted(column: OutcomeColumn) -> str:
    told = f"difference of {column.sentence}"
    return f"{told}; empty where outcomes do not count them" if column.after_windows else told


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
    """Raise DamageError unless the declared accounts make every kind of Score, for every seat.

    Firms start alike, so a Score less its signed accounts is one constant.
    """
    for kind in reversed(world.published.score_kinds):
        rest = world.scores(kind) - signed_sum(world, kind)
        if (rest != rest[0]).any():
            seat = int(np.argmax(rest != rest[0])) + 1
            raise DamageError(f"{world.world}: the accounts of seat {seat} do not make its {_NAMES[kind]}")


def signed_sum(world: PlayedWorld, kind: ScoreKind) -> Cents:
    """Return the signed sum of the accounts of a kind of Score by seat, in cents."""
    table = [account.sign * world.metrics[account.column] for account in world.published.accounts_of(kind)]
    total: Cents = np.sum(table, axis=0, dtype=np.int64)
    return total


def _split(estimand: str, rival: str, pair: Pair, seats: Sequence[int], kind: ScoreKind) -> Split:
    present, absent = pair.control, pair.treated
    published = present.published
    parts: dict[str, int | None] = {_column(account): 0 for account in published.accounts}
    spent = 0
    for account in published.accounts_of(kind):
        change = account.sign * _change(
            present.metrics[account.column], absent.metrics[account.column], seats
        )
        parts[_column(account)] = change
        spent += change if account.group in SPENT else 0
    effect = _change(present.scores(kind), absent.scores(kind), seats)
    if sum(part for part in parts.values() if part is not None) != effect:
        raise DamageError(f"{pair.treated.world}: the parts of a {estimand} effect do not sum to it")
    parts[SPENDING] = spent
    for name in published.effect_counts:
        counted = name in present.metrics and name in absent.metrics
        parts[name] = _change(present.metrics[name], absent.metrics[name], seats) if counted else None
    return Split(
        estimand=estimand, entrant=pair.entrant, rival=rival, draw=pair.draw, effect=effect, parts=parts
    )


def _change(present: Cents, absent: Cents, seats: Sequence[int]) -> int:
    return sum(int(present[seat]) - int(absent[seat]) for seat in seats)


def account_rows(row: type[Row], group: ReferenceSet, found: Sequence[Split]) -> list[Row]:
    """Return one row an effect and pair, in the contract's order."""
    return [
        row.model_validate(
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


def account_mean_rows(row: type[Row], group: ReferenceSet, found: Sequence[Split]) -> list[Row]:
    """Return the parts averaged over repeats within a seed, then over seeds (CEO Arena, section 4.4)."""
    by_effect: dict[tuple[str, str, str], dict[int, list[Split]]] = {}
    for split in found:
        key = (split.estimand, split.entrant, split.rival)
        by_effect.setdefault(key, {}).setdefault(split.draw.seed, []).append(split)
    return [
        row.model_validate(
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
