"""Runs as a comparison sees them: what they are of, who sits where, and their published tables as text.

A comparison asks what may be set against what before it looks at a number. All of that stands in the
manifest, the plan and the resolved study; numbers are read as they were written.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Final

from lineups.values import WorldSpec
from tournament.errors import DamageError, InputError
from tournament.foreign_text import quoted
from tournament.published import Published
from tournament.rundir.checked import checked, require_checked
from tournament.rundir.layout import CANONICAL, PLAN, published_of, read_canonical, read_plan
from tournament.rundir.manifest import Manifest, read_manifest

TABLES: Final = (
    "operating",
    "private_summary",
    "market_summary",
    "directed_summary",
    "private",
    "market",
    "directed",
)
Cells = Mapping[str, str]
Draw = tuple[int, int, int]  # rotation, seed, repeat
Played = frozenset[tuple[tuple[int, ...], Draw]]  # replaced seats of the unrotated lineup, draw


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSide:
    """One run: `lineup` and `references` are its contestants, `identity` binds each to policy and parameters."""

    label: str
    manifest: Manifest
    published: Published
    lineup: tuple[str, ...]
    references: tuple[str, ...]
    identity: Mapping[str, str]
    plan: tuple[WorldSpec, ...]
    tables: Mapping[str, Sequence[Cells]]

    def seats(self, contestants: str) -> tuple[int, ...]:
        """Return the seats of one contestant, or of several joined with `+`, in the unrotated lineup."""
        return tuple(sorted(self.lineup.index(name) + 1 for name in contestants.split("+")))

    def at(self, seats: Sequence[int]) -> str:
        """Return who sits there, joined with `+`."""
        return "+".join(self.lineup[seat - 1] for seat in seats)

    def identities(self, seats: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.identity[self.lineup[seat - 1]] for seat in seats)

    def coverage(self, reference: str, *, finished: bool) -> Played:
        """Return which replacements are planned, or finished, on which draws in a reference's set."""
        mine = [spec for spec in self.plan if spec.reference == reference]
        draws = {spec.draw for spec in mine}
        mine += [spec for spec in self.plan if spec.reference is None and spec.draw in draws]
        return frozenset(
            (tuple(sorted(self.lineup.index(name) + 1 for name in spec.replaced)), astuple(spec.draw))
            for spec in mine
            if not finished or self.manifest.finished(spec.world)
        )


def read_sides(runs: Sequence[Path]) -> list[RunSide]:
    """Return the runs in the order given; raises InputError for one given twice or without its tables."""
    folders = [run.resolve() for run in runs]
    for run, folder in zip(runs, folders, strict=True):
        if folders.count(folder) > 1:
            raise InputError("is given twice", file=run)
    names = [folder.name for folder in folders]
    return [
        _read(run, str(run) if names.count(name) > 1 else name) for run, name in zip(runs, names, strict=True)
    ]


def _read(run: Path, label: str) -> RunSide:
    manifest = read_manifest(run)
    require_checked(run, lambda name: name in (CANONICAL, PLAN))
    canonical = read_canonical(run)
    return RunSide(
        label=label,
        manifest=manifest,
        published=published_of(run),
        lineup=tuple(canonical["lineup"]),
        references=tuple(entry["contestant"] for entry in canonical["references"]),
        identity={name: entry["identity"] for name, entry in canonical["contestants"].items()},
        plan=read_plan(run),
        tables={name: _table(run, f"externalities/{name}.csv") for name in TABLES},
    )


def _table(run: Path, name: str) -> list[Cells]:
    path = checked(run, name)
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))
    except FileNotFoundError:
        raise InputError(
            f"has no {name}: no world has ended, or its tables are missing"
            f" (`tournament externalities {quoted(run)}` writes them)",
            file=run,
        ) from None
    except (OSError, UnicodeDecodeError, csv.Error) as fault:
        raise DamageError(f"{path} cannot be read: {fault}") from None
