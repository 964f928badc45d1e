"""health.csv: who makes the market better for customers, by lineup and as matched differences.

Concentration and spread are computed here, from outcomes; whatever else the market measures of its
worlds it has declared and written itself, when each world ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from externalities.inference import Array
from externalities.outcomes import PlayedWorld
from tournament.published import Published, ScoreKind
from tournament.records import Measured

MEASURES_PARQUET: Final = "measures.parquet"
SPREAD: Final = "score_spread_cents"
ONE_FIRM: Final = "one firm: nothing to compare"


def meanings(published: Published) -> Mapping[str, str]:
    """Return every measure of the health tables with its formula in words, in the tables' order."""
    found: dict[str, str] = {}
    column = published.role("income")
    if column is not None:
        income = _plain(column)
        found[f"herfindahl_{income}"] = f"Herfindahl index of {income} shares (Hirschman 1964): 1/firms to 1"
        found[f"gini_{income}"] = f"Gini coefficient of {income} (Gini 1912): 0 equal"
    found[SPREAD] = "Gini's mean difference of Scores between two firms, in cents"
    return found | {measure.name: measure.sentence for measure in published.measures}


def outcome_measures(world: PlayedWorld, kind: ScoreKind) -> list[Measured]:
    """Return concentration and spread of one world, from its outcomes alone (Hirschman 1964; Gini 1912)."""
    scores = world.scores(kind).astype(np.float64)
    if len(scores) == 1:
        spread = Measured(name=SPREAD, group="", value=None, note=ONE_FIRM)
    else:
        spread = Measured(name=SPREAD, group="", value=mean_difference(scores))
    return [*_concentration(world), spread]


def _concentration(world: PlayedWorld) -> list[Measured]:
    """Return how unequal incomes are; nothing where the market declares no income to be shared."""
    column = world.published.role("income")
    if column is None:
        return []
    income = world.metrics[column].astype(np.float64)
    total = float(income.sum())
    note = ONE_FIRM if len(income) == 1 else "" if total > 0 else f"no {_plain(column)}"
    index = None if note else float(((income / total) ** 2).sum())
    equality = None if note else gini(income)
    return [
        Measured(name=f"herfindahl_{_plain(column)}", group="", value=index, note=note),
        Measured(name=f"gini_{_plain(column)}", group="", value=equality, note=note),
    ]


def _plain(column: str) -> str:
    return column.removesuffix("_cents")


def mean_difference(values: Array) -> float:
    """Return Gini's mean difference: sum |x_i - x_j| / (n (n - 1)), two firms taken at random (Gini 1912)."""
    count = len(values)
    return float(np.abs(values[:, None] - values[None, :]).sum()) / (count * (count - 1))


def gini(values: Array) -> float:
    """Return the Gini coefficient sum |x_i - x_j| / (2 n^2 mean) of amounts from zero up (Gini 1912)."""
    count = len(values)
    return mean_difference(values) * (count - 1) / count / (2 * float(values.mean()))


def world_measures(folder: Path) -> list[Measured]:
    """Return what the market measured of a finished world; nothing where its run has no such file."""
    import pandas as pd  # noqa: PLC0415

    path = folder / MEASURES_PARQUET
    if not path.exists():
        return []
    table = pd.read_parquet(path)
    return [
        Measured(
            name=str(name),
            group=str(group),
            value=None if pd.isna(value) else float(value),
            note=str(note),
        )
        for name, group, value, note in zip(
            table["measure"], table["group"], table["value"], table["note"], strict=True
        )
    ]
