"""A run as a report sees it: who takes part, which worlds there are, what is missing and by what command.

The order of contestants is the study's own (lineup, then reference policies) and holds everywhere, so
that a colour or a row means the same firm on every page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from externalities.usage import USAGE_JSON
from externalities.write import FOLDER
from lineups.values import WorldSpec
from reports.numbers import Money, Units, fitting_money
from reports.sources import Document, Sources, Table, read_document
from tournament.foreign_text import quoted
from tournament.published import Published
from tournament.records import Json
from tournament.registry import report_parts
from tournament.report_parts import ReportPart
from tournament.rundir.layout import CANONICAL, WORLDS, published_of, read_plan
from tournament.rundir.manifest import Manifest, read_manifest
from tournament.rundir.outcomes import OUTCOMES_CSV
from tournament.rundir.status import WorldStatus, run_status

_PLAIN: Final = re.compile(r"[^A-Za-z0-9._+-]")


@dataclass(frozen=True, kw_only=True)
class View:
    """One run: its manifest, what its market publishes, study, plan and tables; what is read is kept.

    Pages speak of it by its `name`, so that they are the same wherever it lies and is opened from.
    """

    run: Path
    name: str
    manifest: Manifest
    published: Published
    study: Document
    plan: tuple[WorldSpec, ...]
    sources: Sources

    @cached_property
    def statuses(self) -> tuple[WorldStatus, ...]:
        """Every planned world with its state, in order of play."""
        return run_status(self.run).worlds

    @cached_property
    def units(self) -> Units:
        """How money and time are written; thousands only where a Score reaches one."""
        scores = [abs(line.whole(self.published.score)) for line in self.outcomes]
        currency = self.published.currency
        money = fitting_money(currency, max(scores)) if scores else Money(currency=currency)
        return Units(money=money, time=self.published.time)

    @property
    def money(self) -> Money:
        return self.units.money

    @cached_property
    def parts(self) -> tuple[ReportPart, ...]:
        """What the market adds to the report; none where it is not installed."""
        return report_parts(self.manifest.scenario.market)

    @property
    def seats(self) -> int:
        return len(self.plan[0].seats) if self.plan else len(self.lineup)

    @cached_property
    def summary(self) -> Document:
        return self.sources.summary()

    @cached_property
    def usage(self) -> Document:
        return read_document(self.run, f"{FOLDER}/{USAGE_JSON}")

    @cached_property
    def lineup(self) -> tuple[str, ...]:
        """The reference lineup by seat."""
        if self.study.content is not None:
            return tuple(str(name) for name in self.study.content["lineup"])
        seated = next((spec.seats for spec in self.plan if not spec.reference), ())
        return tuple(seated)

    @cached_property
    def references(self) -> tuple[str, ...]:
        """Reference policies in the study's order."""
        if self.study.content is not None:
            return tuple(str(entry["contestant"]) for entry in self.study.content["references"])
        return tuple(dict.fromkeys(spec.reference for spec in self.plan if spec.reference))

    @cached_property
    def contestants(self) -> tuple[str, ...]:
        """All who sit anywhere: lineup, references, then whoever the plan seats beside."""
        seated = (name for spec in self.plan for name in spec.seats)
        return tuple(dict.fromkeys([*self.lineup, *self.references, *seated]))

    @property
    def first_reference(self) -> str:
        """The reference policy whose set is shown where only one fits; empty without replacements."""
        return self.references[0] if self.references else ""

    @property
    def finished(self) -> tuple[WorldSpec, ...]:
        """Worlds with outcomes, in order of play."""
        ended = {line.text("world") for line in self.outcomes}
        return tuple(spec for spec in self.plan if spec.world in ended)

    @cached_property
    def outcomes(self) -> Table:
        return self.sources.table(OUTCOMES_CSV)

    def table(self, name: str) -> Table:
        return self.sources.table(name)

    def order(self, name: str) -> int:
        """Return a contestant's place, for sorting; several joined with `+` go by their first."""
        first = name if name in self.contestants else name.split("+", maxsplit=1)[0]
        return self.contestants.index(first) if first in self.contestants else len(self.contestants)

    def folder(self, world: str) -> Path:
        return self.run / WORLDS / world

    def contestant(self, name: str) -> Mapping[str, Json] | None:
        """Return a contestant's entry of the canonical study: policy, parameters, identity, route."""
        if self.study.content is None or name not in self.study.content["contestants"]:
            return None
        entry: Mapping[str, Json] = self.study.content["contestants"][name]
        return entry

    @cached_property
    def stale(self) -> str:
        """Why the statistics do not speak of the outcomes as they are now; empty where they do."""
        if self.summary.missing or self.outcomes.missing:
            return ""
        used = set(self.summary.content["worlds"]["used"])
        ended = {line.text("world") for line in self.outcomes}
        if used == ended:
            return ""
        return (
            "The statistics were made from other worlds than have ended by now; bring them up to date with"
            f" `tournament externalities {quoted(self.name)}`."
        )


def open_view(run: Path, name: str | None = None) -> View:
    """Return the view of a run, called by its folder's name; raises InputError for a folder that is none."""
    manifest = read_manifest(run)
    published = published_of(run)
    return View(
        run=run,
        name=name or run.resolve().name,
        manifest=manifest,
        published=published,
        study=read_document(run, CANONICAL),
        plan=read_plan(run),
        sources=Sources(run=run, published=published),
    )


def world_page(world: str) -> str:
    return f"worlds/{slug(world)}.html"


def contestant_page(name: str) -> str:
    return f"contestants/{slug(name)}.html"


def slug(name: str) -> str:
    """Return a file name for any id: plain characters stay, others become their code points."""
    text = _PLAIN.sub(lambda match: f"~{ord(match.group()):x}", name)
    return f"~2e{text[1:]}" if text.startswith(".") else text


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
