"""baselines.csv: entrants against each reference policy at one seed, and whether signs agree.

Control and baseline sides are means over all the repeats there are at the seed, as the paper's appendix
A.3 has them, not matched pairs; sums are exact and divided once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pydantic import Field

from externalities.effects import ESTIMANDS, Estimand
from externalities.outcomes import PlayedWorld
from externalities.rows import Row, TableSpec
from tournament.published import ScoreKind


class BaselineRow(Row):
    """An entrant's effect at one seed against one reference policy."""

    seed: int = Field(description="economic seed")
    rotation: int = Field(description="cyclic seat shift")
    estimand: str = Field(description="private, directed, total (the others) or market")
    entrant: str = Field(description="contestant that was replaced")
    rival: str = Field(description="contestant whose Score is compared; empty but for directed")
    reference: str = Field(description="contestant that took the entrant's seat")
    control_worlds: int = Field(description="reference-lineup worlds in the control mean")
    baseline_worlds: int = Field(description="replacement worlds in the baseline mean")
    difference_cents: float = Field(description="control mean less baseline mean; sums before any division")
    sign: str = Field(description="sign of the difference")
    agrees: bool | None = Field(
        description="whether the sign is that against the first reference policy; empty for the first"
    )


BASELINES = TableSpec(
    file="baselines.csv",
    row=BaselineRow,
    description="Effects at each seed by reference policy, with the agreement of signs.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How many of an estimand's effects have the same sign against two reference policies."""

    seed: int
    rotation: int
    estimand: Estimand
    first: str
    second: str
    agreeing: int
    effects: int


def baseline_rows(
    worlds: Sequence[PlayedWorld], references: Sequence[str], kind: ScoreKind
) -> list[BaselineRow]:
    """Return rows for every seed and rotation, references in order (CEO Arena, appendix A.3)."""
    rows: list[BaselineRow] = []
    for seed, rotation in sorted({(world.draw.seed, world.draw.rotation) for world in worlds}):
        here = [world for world in worlds if (world.draw.seed, world.draw.rotation) == (seed, rotation)]
        control = [world for world in here if not world.reference]
        covering = [name for name in references if any(world.reference == name for world in here)]
        if control and covering:
            rows += _at_seed(seed, rotation, control, here, covering, references[0], kind)
    return rows


def _at_seed(
    seed: int,
    rotation: int,
    control: Sequence[PlayedWorld],
    here: Sequence[PlayedWorld],
    references: Sequence[str],
    first: str,
    kind: ScoreKind,
) -> list[BaselineRow]:
    rows: list[BaselineRow] = []
    signs: dict[tuple[str, str, str], str] = {}
    for reference in references:
        by_entrant: dict[str, list[PlayedWorld]] = {}
        for world in here:
            if world.reference == reference:
                by_entrant.setdefault(world.entrant, []).append(world)
        for key, value, count in _differences(control, by_entrant, kind):
            sign = "+" if value > 0 else "-" if value < 0 else "0"
            rows.append(
                BaselineRow(
                    seed=seed,
                    rotation=rotation,
                    estimand=key[0],
                    entrant=key[1],
                    rival=key[2],
                    reference=reference,
                    control_worlds=len(control),
                    baseline_worlds=count,
                    difference_cents=float(value),
                    sign=sign,
                    agrees=None if key not in signs else signs[key] == sign,
                )
            )
            if reference == first:
                signs[key] = sign
    order = {name: place for place, name in enumerate(ESTIMANDS)}
    return sorted(rows, key=lambda row: (references.index(row.reference), order[_estimand(row)]))


def _estimand(row: BaselineRow) -> Estimand:
    return next(name for name in ESTIMANDS if name == row.estimand)


def _differences(
    control: Sequence[PlayedWorld], by_entrant: Mapping[str, Sequence[PlayedWorld]], kind: ScoreKind
) -> Iterable[tuple[tuple[Estimand, str, str], Fraction, int]]:
    """Yield (key, difference, baseline worlds) of every effect, exactly."""
    seats = {name: seat for seat, name in enumerate(control[0].seats)}
    above = _totals(control, kind)
    for entrant in sorted(by_entrant, key=lambda name: [seats[part] for part in name.split("+")]):
        below = _totals(by_entrant[entrant], kind)
        count = len(by_entrant[entrant])
        by_seat = [
            Fraction(top, len(control)) - Fraction(bottom, count)
            for top, bottom in zip(above, below, strict=True)
        ]
        own = [seats[part] for part in entrant.split("+")]
        rivals = [seat for seat in seats.values() if seat not in own]
        yield ("private", entrant, ""), sum((by_seat[seat] for seat in own), Fraction()), count
        if rivals:
            yield ("total", entrant, ""), sum((by_seat[seat] for seat in rivals), Fraction()), count
        yield ("market", entrant, ""), sum(by_seat, Fraction()), count
        for seat in rivals:
            yield ("directed", entrant, control[0].seats[seat]), by_seat[seat], count


def _totals(worlds: Sequence[PlayedWorld], kind: ScoreKind) -> list[int]:
    """Return the sum of Scores over worlds, by seat."""
    return [sum(seat) for seat in zip(*(world.scores(kind).tolist() for world in worlds), strict=True)]


def agreements(rows: Sequence[BaselineRow], references: Sequence[str]) -> list[Agreement]:
    """Count agreeing signs of each later reference policy with the first (CEO Arena, section 4.3)."""
    found: dict[tuple[int, int, Estimand, str], list[bool]] = {}
    for row in rows:
        if row.agrees is not None:
            key = (row.seed, row.rotation, _estimand(row), row.reference)
            found.setdefault(key, []).append(row.agrees)
    return [
        Agreement(
            seed=seed,
            rotation=rotation,
            estimand=estimand,
            first=references[0],
            second=second,
            agreeing=sum(flags),
            effects=len(flags),
        )
        for (seed, rotation, estimand, second), flags in found.items()
    ]
