"""`tournament externalities`, `power`, `decompose` and `calibrate`: tables from a run's files, and what they can show."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.cli.output import columns, emit, say
from tournament.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from externalities.calibration import CalibrationRow
    from externalities.power_tables import PowerRow
    from externalities.write import Summary

RunFolder = Annotated[Path, typer.Argument(help="Run directory.", metavar="RUN")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
Level = Annotated[float, typer.Option("--ci", help="Confidence level, between 0.5 and 1.", metavar="LEVEL")]


class Score(StrEnum):
    """Which score the terminal shows; files hold both."""

    SCORE = "score"
    CASH = "cash"


class Effects(StrEnum):
    """Estimands of the planner."""

    PRIVATE = "private"
    DIRECTED = "directed"
    TOTAL = "total"
    MARKET = "market"


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament externalities runs/ready-1a2b3c4d")(externalities)
    app.command(epilog="Example: tournament power runs/ready-1a2b3c4d --effect 50000")(power)
    app.command(epilog="Example: tournament decompose runs/ready-1a2b3c4d")(decompose)
    app.command(epilog="Example: tournament calibrate --studies 200")(calibrate)


def externalities(
    run: RunFolder,
    baseline: Annotated[
        list[str] | None,
        typer.Option(help="Show this reference policy alone; may be repeated.", metavar="CONTESTANT"),
    ] = None,
    score: Annotated[Score, typer.Option(help="Which score to show; files hold both.")] = Score.SCORE,
    ci: Level = 0.95,
    repeat: Annotated[int | None, typer.Option(min=1, help="Use the worlds of this repeat alone.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write what each contestant's presence does to itself, its rivals and the market, and show it.

    With --ci or --repeat the tables go to a folder of their own under RUN/externalities.
    """
    from externalities.analysis import Options
    from externalities.write import write_externalities
    from tournament.rundir.layout import is_complete
    from tournament.rundir.lock import owned
    from tournament.rundir.manifest import read_manifest, record_files

    options = Options(level=_level(ci), repeat=repeat)
    read_manifest(run)
    with owned(run, "externalities"):
        written = write_externalities(
            run, options=options, shown="cash" if score is Score.CASH else "score", baselines=baseline or ()
        )
        if options.canonical and is_complete(run):
            record_files(run, written.files)
    if as_json:
        emit(written.report)
    else:
        say(written.text)


def power(
    run: RunFolder,
    effect: Annotated[
        float,
        typer.Option(help="Effect to be shown, in the market's currency (dollars, say).", metavar="AMOUNT"),
    ],
    target: Annotated[float, typer.Option("--power", help="Power, between 0 and 1.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Two-sided level of the test, between 0 and 0.5.")] = 0.05,
    estimand: Annotated[
        list[Effects] | None, typer.Option(help="Estimand; may be repeated [default: all].")
    ] = None,
    entrant: Annotated[str, typer.Option(help="Variances of this entrant alone.", metavar="CONTESTANT")] = "",
    repeats: Annotated[str, typer.Option(help="Repeats a seed to consider, such as 1,2,3.")] = "1,2,3,5",
    as_json: AsJson = False,
) -> None:
    """Tell how many seeds and repeats would show an effect, and what this run's design can show.

    Answers are given at both ends of the variances' intervals and checked by simulation.
    """
    from externalities.power_tables import Question
    from externalities.power_write import write_power
    from tournament.rundir.lock import owned
    from tournament.rundir.manifest import read_manifest

    question = Question(
        effect=_within(abs(effect), "--effect", 0.01, 1e12) * 100,
        alpha=_within(alpha, "--alpha", 1e-6, 0.5),
        power=_within(target, "--power", 0.01, 0.999),
        repeats=_counts(repeats),
        estimands=tuple(item.value for item in estimand or Effects),
        entrant=entrant,
    )
    read_manifest(run)
    with owned(run, "power"):
        rows = write_power(run, question)
    if as_json:
        emit({"rows": [row.model_dump(mode="json") for row in rows]})
    else:
        say(_power_text(rows))


def decompose(
    run: RunFolder,
    jobs: Annotated[int | None, typer.Option(min=1, help="Worker processes [default: one a core].")] = None,
    as_json: AsJson = False,
) -> None:
    """Split every directed effect into the direct part and everybody's answer, from recorded seals alone.

    Plays hybrid worlds under RUN/hybrids without calling any policy; `verify` replays them too.
    """
    from externalities.write import write_externalities
    from tournament.experiments.decompose import decompose as play
    from tournament.rundir.layout import is_complete
    from tournament.rundir.lock import owned
    from tournament.rundir.manifest import read_manifest, record_files, withdraw_files

    def announce(text: str) -> None:
        say(text, to_stderr=as_json)

    read_manifest(run)
    with owned(run, "decompose"):
        count = play(run, jobs or os.cpu_count() or 1, announce)
        withdraw_files(run, lambda name: name.startswith("externalities/"))
        written = write_externalities(run)
        if is_complete(run):
            record_files(run, written.files)
    if as_json:
        emit(
            {
                "hybrids": count,
                "decomposition": [row.model_dump(mode="json") for row in written.decomposition],
            }
        )
    else:
        say(_decomposed(count, written))


def _decomposed(count: int, written: Summary) -> str:
    from externalities.text import decomposition_text

    if not count:
        return "decomposition: undefined, direct and adaptive effects need rivals, and no pair has any"
    told = decomposition_text(written.decomposition, written.published.currency)
    return f"{count} hybrid worlds, no policy called\n\n{told}"


def calibrate(
    studies: Annotated[int, typer.Option(min=20, help="Simulated studies for each design.")] = 200,
    seeds: Annotated[str, typer.Option(help="Numbers of seeds, such as 3,5,10,20.")] = "3,5,10,20",
    agents: Annotated[int, typer.Option(min=2, max=16, help="Entrants in a lineup.")] = 8,
    share: Annotated[float, typer.Option(help="Share of an effect's variance that its seed carries.")] = 0.5,
    effect: Annotated[float, typer.Option(help="Planted effect, in SDs of one observation.")] = 1.0,
    skewed: Annotated[bool, typer.Option("--skewed", help="Skewed noise instead of normal.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the simulation.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Write the table as CSV.", metavar="FILE")] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate studies with and without effects; print the error rates and coverage that rules achieve."""
    from externalities.calibration import CALIBRATION, Setting
    from externalities.calibration import calibrate as simulate
    from externalities.rows import csv_text
    from tournament.storage import write_atomic

    counts = _counts(seeds)
    designs = [(1,) * count for count in counts]
    if 3 in counts:
        designs.insert(counts.index(3) + 1, (3, 1, 1))  # the paper's five observations
    rows = simulate(
        Setting(
            agents=agents,
            designs=tuple(designs),
            seed_share=_within(share, "--share", 0.0, 1.0),
            effect=effect,
            shape="skewed" if skewed else "normal",
            studies=studies,
            seed=seed,
        )
    )
    if out is not None:
        write_atomic(out, csv_text(CALIBRATION.row, rows))
    if as_json:
        emit({"rows": [row.model_dump(mode="json") for row in rows]})
    else:
        say(_calibration_text(rows))


def _level(level: float) -> float:
    return _within(level, "--ci", 0.5, 0.9999)


def _within(value: float, option: str, low: float, high: float) -> float:
    if not low <= value <= high:
        raise InputError(f"{value:g} is not between {low:g} and {high:g}", field=option)
    return value


def _counts(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and 1 <= int(part) <= 100 for part in parts):
        raise InputError(f"{text!r} is not a list of counts from 1 to 100, such as 3,5,10")
    return tuple(dict.fromkeys(int(part) for part in parts))


def _power_text(rows: Sequence[PowerRow]) -> str:
    table: list[Sequence[str]] = [
        (
            "question",
            "reference",
            "estimand",
            "variances",
            "effect k",
            "repeats",
            "seeds",
            "worlds",
            "power",
            "simulated",
        )
    ]
    table += [
        (
            row.question,
            row.reference,
            row.estimand,
            row.variance_end,
            _thousands(row.effect_cents),
            "-" if row.repeats is None else f"{row.repeats:g}",
            str(row.seeds) if row.seeds is not None else "-" if row.repeats is None else "over 500",
            "-" if row.worlds is None else str(row.worlds),
            _share(row.power),
            _share(row.simulated_power),
        )
        for row in rows
    ]
    notes = list(dict.fromkeys(note for row in rows for note in row.note.split("; ") if note))
    return "\n".join([columns(table, right=(4, 5, 6, 7, 8, 9)), *(f"note: {note}" for note in notes)])


def _calibration_text(rows: Sequence[CalibrationRow]) -> str:
    table: list[Sequence[str]] = [
        (
            "design",
            "effects",
            "rule",
            "errors",
            "nominal",
            "family",
            "false disc.",
            "power",
            "coverage",
            "+-",
            "note",
        )
    ]
    table += [
        (
            row.design if len(row.design) <= 9 else f"{row.seeds} x 1",
            row.effects,
            row.rule,
            _share(row.error_rate),
            _share(row.nominal),
            _share(row.familywise),
            _share(row.false_discovery),
            _share(row.power),
            _share(row.coverage),
            _share(row.monte_carlo_error),
            row.note,
        )
        for row in rows
    ]
    return columns(table, right=(3, 4, 5, 6, 7, 8, 9))


def _thousands(cents: float | None) -> str:
    return "-" if cents is None else f"{cents / 100_000:,.2f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
