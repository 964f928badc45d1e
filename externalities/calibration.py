"""Calibration by simulation: what the rules do when there is nothing to see, and when there is.

Matched studies are drawn with known effects and put through the very functions that make the tables.
Scores share their reference world, as real contrasts do, and effects vary from seed to seed. The
|mean| > SD rule goes through the same mill as every test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from externalities.display import chance_rate, structure
from externalities.inference import (
    FEWEST_CLUSTERS,
    Array,
    Limits,
    bca_interval,
    benjamini_hochberg,
    benjamini_yekutieli,
    bootstrap_means,
    percentile_interval,
    seed_means,
    sign_flip,
    smallest_flip_p,
    t_interval,
    t_p,
)
from externalities.resampling import stream
from externalities.rows import Row, TableSpec

Flags = NDArray[np.bool_]
Shape = Literal["normal", "skewed"]
DESIGNS: tuple[tuple[int, ...], ...] = ((1,) * 3, (3, 1, 1), (1,) * 5, (1,) * 10, (1,) * 20)
COLUMNS_AT_ONCE = 3_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is simulated: agents, share of an effect's variance that its seed carries, planted size.

    `effect` is in standard deviations of one observed contrast; a quarter of the pairs carry it. `designs`
    holds the observations of each seed.
    """

    agents: int = 8
    designs: tuple[tuple[int, ...], ...] = DESIGNS
    seed_share: float = 0.5
    effect: float = 1.0
    shape: Shape = "normal"
    studies: int = 400
    draws: int = 1_000
    level: float = 0.95
    seed: int = 1


class CalibrationRow(Row):
    """What one rule did in one kind of study."""

    design: str = Field(description="observations of each seed, largest first")
    seeds: int = Field(description="clusters, G")
    effects: str = Field(description="`none`, or `planted`: a quarter of the pairs carry one")
    shape: str = Field(description="distribution of the noise: normal or skewed")
    seed_share: float = Field(description="share of an effect's variance that its seed carries")
    rule: str = Field(description="what flags a pair, or what interval covers")
    reported: bool = Field(description="whether the tables report it with so many seeds")
    error_rate: float | None = Field(description="share of pairs without effect that are flagged")
    familywise: float | None = Field(description="share of studies with any such flag")
    false_discovery: float | None = Field(description="mean share of flags that are false")
    power: float | None = Field(description="share of planted effects that are flagged")
    coverage: float | None = Field(description="share of intervals that hold the true effect")
    nominal: float | None = Field(
        description="what the rule promises: of coverage, of errors (max-T: familywise, step-up: false "
        "discoveries), or the exact chance rate"
    )
    monte_carlo_error: float = Field(description="standard error of the error rate or coverage, over studies")
    studies: int = Field(description="studies simulated")
    note: str = Field(description="what the design rules out")


CALIBRATION = TableSpec(
    file="calibration.csv",
    row=CalibrationRow,
    description="Achieved error rates and coverage, by simulation.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Studies:
    """Simulated observations (studies, observations, pairs), their seeds, and the true effects (pairs,)."""

    observations: Array
    seeds: NDArray[np.int64]
    truth: Array


def calibrate(setting: Setting) -> list[CalibrationRow]:
    """Return a row for every design, with and without effects, and every rule.

    Source: Morris, White and Crowther 2019.
    """
    rows: list[CalibrationRow] = []
    for sizes in setting.designs:
        for planted in (False, True):
            name = f"calibration/{setting.seed}/{structure(sizes)}/{planted}/{setting.shape}"
            studies = simulate(setting, sizes, planted, stream("", name))
            rows += _rules(setting, sizes, planted, studies, stream("", f"{name}/resampling"))
    return rows


def simulate(
    setting: Setting, sizes: Sequence[int], planted: bool, generator: np.random.Generator
) -> Studies:
    """Return studies of contrasts S_A(L_-R) - S_A(L_-B), one observation a repeat, variance one.

    Every world gives each firm noise of variance (1 - share) / 2, so that a contrast has 1 - share and
    shares half of it with all contrasts of its rival; the seed adds an effect of its own of variance share.

    Source: CEO Arena, section 3.4.
    """
    count = setting.agents
    pairs = [(b, a) for b in range(count) for a in range(count) if a != b]
    entrants, rivals = (np.array(side) for side in zip(*pairs, strict=True))
    truth = np.zeros(len(pairs))
    if planted:
        truth[: len(pairs) // 4] = setting.effect
    shape = (setting.studies, len(sizes), len(pairs))
    own = np.sqrt(setting.seed_share) * _noise(setting.shape, shape, generator)
    seeds = np.repeat(np.arange(len(sizes)), sizes)
    scale = np.sqrt((1 - setting.seed_share) / 2)
    present = scale * _noise(setting.shape, (setting.studies, len(seeds), count), generator)
    absent = scale * _noise(setting.shape, (setting.studies, len(seeds), count, count), generator)
    contrast = present[:, :, rivals] - absent[:, :, entrants, rivals]
    return Studies(observations=truth + own[:, seeds] + contrast, seeds=seeds, truth=truth)


def _noise(shape: Shape, size: tuple[int, ...], generator: np.random.Generator) -> Array:
    return generator.normal(size=size) if shape == "normal" else generator.exponential(size=size) - 1


def _rules(
    setting: Setting,
    sizes: Sequence[int],
    planted: bool,
    studies: Studies,
    generator: np.random.Generator,
) -> Iterator[CalibrationRow]:
    """Yield one row a rule; every rule but the display criterion works on seed means."""
    means = np.stack(
        [studies.observations[:, studies.seeds == seed].mean(axis=1) for seed in range(len(sizes))], axis=1
    )
    alpha = 1 - setting.level
    flags = _display(studies) | _tests(means, alpha, generator)
    covers = _coverage(means, studies.truth, setting, generator)
    enough = len(sizes) >= FEWEST_CLUSTERS
    promised = {"|mean| > SD": chance_rate(sizes, setting.seed_share)}
    for rule in (*flags, *covers):
        reported = not rule.startswith(("sign flip", "percentile", "BCa")) or enough
        note = ""
        if rule.startswith("sign flip") and smallest_flip_p(len(sizes)) > alpha:
            note = "cannot reject by design"
        elif not reported:
            note = f"not reported: {len(sizes)} clusters"
        yield _row(
            setting,
            sizes,
            planted,
            studies.truth,
            rule,
            reported,
            flags.get(rule),
            covers.get(rule),
            promised.get(rule, setting.level if rule in covers else alpha),
            note,
        )


def _display(studies: Studies) -> dict[str, Flags]:
    """Flag |mean| > SD over single observations, as the paper's figure 6D does."""
    mean = studies.observations.mean(axis=1)
    return {"|mean| > SD": np.abs(mean) > studies.observations.std(axis=1, ddof=1)}


def _tests(means: Array, alpha: float, generator: np.random.Generator) -> dict[str, Flags]:
    """Flag what each test rejects, study by study: a study's pairs are one family."""
    found: dict[str, list[Flags]] = {}
    for study in means:
        p = t_p(seed_means(study))
        flip = sign_flip(study, generator)
        used = flip.raw if len(study) >= FEWEST_CLUSTERS else p
        for rule, values in (
            ("t test, raw", p),
            ("sign flip, raw", flip.raw),
            ("sign flip, max-T", flip.adjusted),
            ("Benjamini-Hochberg", benjamini_hochberg(used)),
            ("Benjamini-Yekutieli", benjamini_yekutieli(used)),
        ):
            found.setdefault(rule, []).append(values <= alpha)
    return {rule: np.array(flags) for rule, flags in found.items()}


def _coverage(
    means: Array, truth: Array, setting: Setting, generator: np.random.Generator
) -> dict[str, Flags]:
    """Return whether each interval holds its true effect, of shape (studies, pairs)."""
    studies, clusters, pairs = means.shape
    columns = means.transpose(1, 0, 2).reshape(clusters, studies * pairs)
    targets = np.tile(truth, studies)
    limits = {"t interval": t_interval(seed_means(columns), setting.level)}
    held = {rule: _holds(interval, targets) for rule, interval in limits.items()}
    parts: dict[str, list[Flags]] = {"percentile bootstrap": [], "BCa bootstrap": []}
    for start in range(0, columns.shape[1], COLUMNS_AT_ONCE):
        chosen = columns[:, start : start + COLUMNS_AT_ONCE]
        target = targets[start : start + COLUMNS_AT_ONCE]
        resampled = bootstrap_means(chosen, setting.draws, generator)
        parts["percentile bootstrap"].append(_holds(percentile_interval(resampled, setting.level), target))
        parts["BCa bootstrap"].append(_holds(bca_interval(chosen, resampled, setting.level), target))
    held |= {rule: np.concatenate(chunks) for rule, chunks in parts.items()}
    return {rule: flags.reshape(studies, pairs) for rule, flags in held.items()}


def _holds(limits: Limits, targets: Array) -> Flags:
    """Return whether the targets lie within; an interval without ends holds nothing."""
    held: Flags = (limits.low <= targets) & (targets <= limits.high)
    return held


def _row(
    setting: Setting,
    sizes: Sequence[int],
    planted: bool,
    truth: Array,
    rule: str,
    reported: bool,
    flags: Flags | None,
    covers: Flags | None,
    nominal: float | None,
    note: str,
) -> CalibrationRow:
    rates = _rates(flags, truth) if flags is not None else {}
    by_study = covers.mean(axis=1) if covers is not None else rates["by_study"]
    return CalibrationRow(
        design=structure(sizes),
        seeds=len(sizes),
        effects="planted" if planted else "none",
        shape=setting.shape,
        seed_share=setting.seed_share,
        rule=rule,
        reported=reported,
        error_rate=float(by_study.mean()) if flags is not None else None,
        familywise=_mean(rates, "familywise"),
        false_discovery=_mean(rates, "false_discovery"),
        power=_mean(rates, "power"),
        coverage=float(by_study.mean()) if covers is not None else None,
        nominal=nominal,
        monte_carlo_error=float(by_study.std(ddof=1) / len(by_study) ** 0.5),
        studies=setting.studies,
        note=note,
    )


def _rates(flags: Flags, truth: Array) -> Mapping[str, Array]:
    """Return rates by study: flags among null pairs, any of them, false among all flags, true found."""
    null = truth == 0
    false, all_flags = flags[:, null].sum(axis=1), flags.sum(axis=1)
    rates: dict[str, Array] = {
        "by_study": flags[:, null].mean(axis=1),
        "familywise": (false > 0).astype(np.float64),
        "false_discovery": false / np.maximum(all_flags, 1),
    }
    if (~null).any():
        rates["power"] = flags[:, ~null].mean(axis=1)
    return rates


def _mean(rates: Mapping[str, Array], name: str) -> float | None:
    return float(rates[name].mean()) if name in rates else None
