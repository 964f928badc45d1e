"""power.csv: what the planner answers for a run, and what the run's own design can show.

Costs are the run's own: model replies and dollars a world, where usage tables tell them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import Field

from externalities.components import Components, components
from externalities.design import ReferenceSet
from externalities.effects import ESTIMANDS, Estimand, Sample, samples
from externalities.outcomes import PlayedWorld
from externalities.power import ENDS, Design, detectable, plan, variances
from externalities.rows import Row, TableSpec


class PowerRow(Row):
    """An answer at one end of the variances' intervals."""

    question: str = Field(
        description="`needed`: seeds for the effect; `present`: the least effect that this run's design shows"
    )
    reference: str = Field(description="contestant that takes the entrant's seat")
    estimand: str = Field(description="private, directed, total or market")
    entrant: str = Field(description="whose variances; empty: pooled over the estimand's effects")
    effect_cents: float | None = Field(description="effect asked for, or the least one detectable")
    alpha: float = Field(description="two-sided level of the t test on seed means")
    target_power: float = Field(description="power asked for")
    variance_end: str = Field(description="low, estimate or high: end of the variances' chi-square intervals")
    sd_seed_cents: float | None = Field(description="standard deviation between seeds")
    sd_repeat_cents: float | None = Field(
        description="standard deviation between repeats; empty: not separable"
    )
    repeats: float | None = Field(description="repeats a seed (the harmonic mean of a run's own)")
    seeds: int | None = Field(description="seeds; empty where 500 do not suffice")
    worlds: int | None = Field(description="worlds of that design: reference lineup and every replacement")
    power: float | None = Field(description="power by the noncentral t")
    simulated_power: float | None = Field(description="share of simulated studies that reject")
    simulation_error: float | None = Field(description="its Monte Carlo standard error")
    flips_can_reject: bool | None = Field(description="whether a sign-flip test could reject at all")
    model_replies: float | None = Field(description="expected model replies, at this run's mean a world")
    usd: float | None = Field(description="expected dollars, at this run's mean a world")
    note: str = Field(description="why a value is missing")


POWER = TableSpec(
    file="power.csv", row=PowerRow, description="Seeds and repeats needed, and what the present design shows."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An effect in cents to be shown at a level and power, for some estimands and perhaps one entrant."""

    effect: float
    alpha: float
    power: float
    repeats: tuple[int, ...]
    estimands: tuple[Estimand, ...] = ESTIMANDS
    entrant: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldCost:
    """Mean model replies and dollars a world; None where no usage table tells them, and dollars None too
    where a reply had no price: its cost is unknown, not zero."""

    replies: float | None
    usd: float | None


def world_cost(run: Path, worlds: Sequence[PlayedWorld]) -> WorldCost:
    """Return the mean cost of the worlds that have a `usage.parquet`."""
    import pandas as pd  # noqa: PLC0415

    paths = [run / "worlds" / world.world / "usage.parquet" for world in worlds]
    tables = [pd.read_parquet(path) for path in paths if path.exists()]
    if not tables:
        return WorldCost(replies=None, usd=None)
    sums = pd.concat(tables)[["replies", "cost_usd", "unpriced_replies"]].sum()
    priced = float(sums["unpriced_replies"]) == 0
    return WorldCost(
        replies=float(sums["replies"]) / len(tables),
        usd=float(sums["cost_usd"]) / len(tables) if priced else None,
    )


def power_rows(
    group: ReferenceSet,
    question: Question,
    cost: WorldCost,
    level: float,
    stream: Callable[[str], np.random.Generator],
) -> list[PowerRow]:
    """Return the planner's answers for each estimand, then what the present design can show (Cohen 1988)."""
    rows: list[PowerRow] = []
    families = samples(group, "score")
    for estimand in question.estimands:
        family = [sample for sample in families[estimand] if question.entrant in ("", sample.entrant)]
        found = components(family, level)
        designs = plan(
            found,
            question.effect,
            alpha=question.alpha,
            power=question.power,
            repeats=question.repeats,
            generator=stream(f"power/{estimand}/{question.entrant}"),
        )
        if not designs:
            rows.append(_undefined(group, estimand, question, found.single.note))
        rows += [_needed(group, estimand, question, design, cost, found) for design in designs]
        rows += _present(group, estimand, question, family, found)
    return rows


def _needed(
    group: ReferenceSet,
    estimand: Estimand,
    question: Question,
    design: Design,
    cost: WorldCost,
    found: Components,
) -> PowerRow:
    worlds = None
    if design.seeds is not None:
        worlds = (1 + len(group.entrants)) * design.seeds * design.repeats
    notes = [found.repeat.note] if not design.variances.separable else []
    if worlds is None:
        notes.append("500 seeds do not suffice")
    if cost.replies is None:
        notes.append("no usage tables: replies and dollars unknown")
    elif cost.usd is None:
        notes.append("replies without a price: dollars unknown")
    return PowerRow(
        question="needed",
        reference=group.reference,
        estimand=estimand,
        entrant=question.entrant,
        effect_cents=question.effect,
        alpha=question.alpha,
        target_power=question.power,
        variance_end=design.end,
        sd_seed_cents=design.variances.seed**0.5,
        sd_repeat_cents=design.variances.repeat**0.5 if design.variances.separable else None,
        repeats=float(design.repeats),
        seeds=design.seeds,
        worlds=worlds,
        power=design.power,
        simulated_power=design.simulated,
        simulation_error=design.simulated_error,
        flips_can_reject=design.flips_can_reject,
        model_replies=_times(cost.replies, worlds),
        usd=_times(cost.usd, worlds),
        note="; ".join(notes),
    )


def _undefined(group: ReferenceSet, estimand: Estimand, question: Question, note: str) -> PowerRow:
    return PowerRow(
        question="needed",
        reference=group.reference,
        estimand=estimand,
        entrant=question.entrant,
        effect_cents=question.effect,
        alpha=question.alpha,
        target_power=question.power,
        variance_end="estimate",
        sd_seed_cents=None,
        sd_repeat_cents=None,
        repeats=None,
        seeds=None,
        worlds=None,
        power=None,
        simulated_power=None,
        simulation_error=None,
        flips_can_reject=None,
        model_replies=None,
        usd=None,
        note=note,
    )


def _present(
    group: ReferenceSet,
    estimand: Estimand,
    question: Question,
    family: Sequence[Sample],
    found: Components,
) -> list[PowerRow]:
    """Return the least detectable effect of the present design at each end of the variances."""
    sizes = [
        len(values) for values in max((sample.by_seed() for sample in family), key=len, default={}).values()
    ]
    rows = []
    for end in ENDS:
        parts = variances(found, end)
        if parts is None or not sizes:
            continue
        repeats = len(sizes) / sum(1 / size for size in sizes)
        variance = parts.seed + parts.repeat / repeats
        effect = detectable(variance, len(sizes), question.alpha, question.power)
        rows.append(
            PowerRow(
                question="present",
                reference=group.reference,
                estimand=estimand,
                entrant=question.entrant,
                effect_cents=effect,
                alpha=question.alpha,
                target_power=question.power,
                variance_end=end,
                sd_seed_cents=parts.seed**0.5,
                sd_repeat_cents=parts.repeat**0.5 if parts.separable else None,
                repeats=repeats,
                seeds=len(sizes),
                worlds=(1 + len(group.entrants)) * sum(sizes),
                power=question.power if effect is not None else None,
                simulated_power=None,
                simulation_error=None,
                flips_can_reject=None,
                model_replies=None,
                usd=None,
                note=found.repeat.note if not parts.separable else "",
            )
        )
    return rows


def _times(each: float | None, worlds: int | None) -> float | None:
    return None if each is None or worlds is None else each * worlds
