"""A seeded generator of a matched design's outcomes: scores with known effects, accounts that add up."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from externalities.outcomes import PlayedWorld, gather
from lineups.plan_file import plan_text
from lineups.values import WorldSpec
from market.ceo_arena.published import PUBLISHED
from tournament.published import Published
from tournament.rundir import manifest as manifests
from tournament.rundir.outcomes import columns
from tournament.storage import sha256_of

COSTS = tuple(account.column for account in PUBLISHED.accounts if account.sign < 0)
INITIAL_CASH = 50_000_000
INITIAL_VALUE = 51_600_000
ScoreOf = Callable[[str, str, int, int], int]  # (contestant, lineup, seed, repeat) -> extra cents


def agents(count: int) -> tuple[str, ...]:
    """Return contestant ids a1, a2, ..."""
    return tuple(f"a{number}" for number in range(1, count + 1))


def rows(
    *,
    lineup: Sequence[str] = agents(4),
    references: Mapping[str, Mapping[int, int]] | None = None,
    repeats: Mapping[int, int] | None = None,
    replace: Sequence[Sequence[str]] | None = None,
    rotations: Sequence[int] = (0,),
    extra: ScoreOf | None = None,
    noise: float = 1_000_000.0,
    key: int = 7,
) -> list[dict[str, str]]:
    """Return outcome rows: every lineup under every seed, repeat and rotation of its reference."""
    repeats = repeats or {11: 1, 29: 1, 47: 1}
    references = references or {"rule": repeats}
    replaced = replace or [[name] for name in lineup]
    generator = np.random.default_rng(key)
    result: list[dict[str, str]] = []
    for rotation in rotations:
        plan = [("", [], repeats)] + [
            (reference, names, table) for reference, table in references.items() for names in replaced
        ]
        for reference, names, table in plan:
            label = f"{reference}-for-{'+'.join(names)}" if reference else "ref"
            for seed, count in table.items():
                for repeat in range(1, count + 1):
                    result += _world(
                        lineup, reference, names, label, rotation, seed, repeat, extra, noise, generator
                    )
    return result


def _world(lineup, reference, names, label, rotation, seed, repeat, extra, noise, generator):
    seated = [reference if name in names else name for name in lineup]
    shift = rotation % len(seated)
    shifted = seated[-shift:] + seated[:-shift] if shift else seated
    gone = [
        name if reference and seat == reference else "" for name, seat in zip(lineup, seated, strict=True)
    ]
    gone = gone[-shift:] + gone[:-shift] if shift else gone
    seats = "+".join(str(index) for index, name in enumerate(gone, start=1) if name)
    made = []
    for index, contestant in enumerate(shifted, start=1):
        draw = generator.normal(0, noise)
        bonus = extra(contestant, label, seed, repeat) if extra else 0
        made.append(
            {
                "world": f"{label}.r{rotation}.s{seed}.n{repeat}",
                "lineup": label,
                "reference": reference,
                "replaced_seat": seats,
                "rotation": str(rotation),
                "seed": str(seed),
                "repeat": str(repeat),
                "seat": str(index),
                "contestant": contestant,
                **_accounts(round(draw) + bonus, generator),
            }
        )
    return made


def _accounts(score: int, generator: np.random.Generator) -> dict[str, str]:
    salvage = int(generator.integers(0, 900_000))
    costs = {column: int(generator.integers(0, 2_000_000)) for column in COSTS}
    cash = score - salvage + INITIAL_VALUE
    revenue = cash - INITIAL_CASH + sum(costs.values())
    return {
        "score_cents": str(score),
        "final_cash_cents": str(cash),
        "salvage_cents": str(salvage),
        "bankrupt_day": "" if cash >= 0 else "300",
        "revenue_cents": str(revenue),
        **{column: str(cents) for column, cents in costs.items()},
        "units_sold": str(int(generator.integers(5_000, 9_000))),
        "tenders_won": str(int(generator.integers(0, 4))),
        "windows_sealed": "70",
        "windows_refused": "1",
        "windows_exhausted": "1",
        "consumer_orders": str(int(generator.integers(4_000, 9_000))),
    }


def worlds(made: Sequence[Mapping[str, str]]) -> tuple[PlayedWorld, ...]:
    """Return the rows as the reader gathers them."""
    return gather(list(enumerate(made, start=2)), PUBLISHED, source="outcomes.csv")


def write_run(
    run: Path,
    made: Sequence[Mapping[str, str]],
    without: Sequence[str] = (),
    published: Published = PUBLISHED,
) -> Path:
    """Write a run directory that holds these outcomes, and return it; `without` leaves columns out.

    A manifest that is there already stays, and vouches for these outcomes if it vouched for others.
    """
    run.mkdir(parents=True, exist_ok=True)
    if not (run / manifests.MANIFEST).exists():
        write_manifest(run, "", "", published)
    names = [name for name in columns(published) if name not in without]
    with (run / "outcomes.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, names, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(made)
    if "outcomes.csv" in manifests.read_manifest(run).files:
        manifests.record_files(run, {"outcomes.csv": sha256_of(run / "outcomes.csv")})
    return run


def write_plan(run: Path, made: Sequence[Mapping[str, str]]) -> None:
    """Write the plan that these outcomes complete."""
    write_plan_of(run, spec_of_worlds(made))


def write_plan_of(run: Path, specs: Sequence[WorldSpec]) -> None:
    (run / "plan.jsonl").write_text(plan_text(specs), encoding="utf-8")


def spec_of_worlds(made: Sequence[Mapping[str, str]]) -> list[WorldSpec]:
    """Return the worlds of these rows in the rows' order."""
    specs = {world.world: world.spec for world in worlds(made)}
    return [specs[name] for name in dict.fromkeys(row["world"] for row in made)]


def write_manifest(run: Path, study: str, study_hash: str, published: Published = PUBLISHED) -> None:
    """Write the manifest of a run whose market is installed nowhere."""
    scenario = manifests.Scenario(
        market="market@1",
        id="market@1",
        sha256="",
        days=500,
        windows=72,
        accounts=(),
        published=published,
    )
    manifests.write_manifest(
        run,
        manifests.Manifest(
            study=study,
            study_hash=study_hash,
            scenario=scenario,
            sources={},
            versions={},
            platform={},
            files={},
        ),
    )
