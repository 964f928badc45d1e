"""What a run's frame must say: the study's hash, the plan that follows from the study, the file it was read from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lineups.enumeration import worlds_of
from lineups.plan_file import plan_text
from lineups.values import WorldSpec
from tournament import seal
from tournament.errors import ArenaError
from tournament.records import Json
from tournament.registry import market_kind
from tournament.rundir.environment import hashes_of
from tournament.rundir.layout import CANONICAL, PLAN, STUDY, scenario_entry
from tournament.rundir.manifest import MANIFEST, Manifest
from tournament.study.file import Study, design_from, difference
from tournament.study.routes import binding

FIRST_FILES: Final = (STUDY, CANONICAL, PLAN)
# What of a canonical study is what its file says, whatever program reads it and wherever its parts lie.
_WRITTEN: Final = ("study", "seeds", "repeats", "lineup", "replace", "references", "rotations")
LoadStudy = Callable[[Path], Study]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A run as its first files tell it; `rewritten` names those that an export has not as they were."""

    run: Path
    manifest: Manifest
    canonical: Mapping[str, Json]
    plan: Sequence[WorldSpec]
    rewritten: frozenset[str]


def frame_faults(frame: Frame) -> Iterator[tuple[str, str]]:
    """Yield (file, what is wrong): names, hash of the study, market, plan."""
    try:
        yield from _frame_faults(frame)
    except (KeyError, TypeError, ValueError, AttributeError, ArenaError) as fault:
        yield CANONICAL, f"is no resolved study: {type(fault).__name__}: {fault}"


def _frame_faults(frame: Frame) -> Iterator[tuple[str, str]]:
    canonical, manifest = frame.canonical, frame.manifest
    for name in FIRST_FILES:
        if name not in manifest.files:
            yield MANIFEST, f"does not name {name}"
    if canonical["study"] != manifest.study:
        yield CANONICAL, f"is of study {canonical['study']}"
    if CANONICAL not in frame.rewritten and _hash(canonical) != manifest.study_hash:
        yield CANONICAL, "does not have the hash that the manifest names"
    market = market_kind(manifest.scenario.market).configure(canonical["market"]["overrides"])
    if seal.digest(market.describe()) != manifest.scenario.sha256:
        yield CANONICAL, "its market has other parameters here than in the run"
    elif _same_sources(manifest) and manifest.scenario.model_dump(mode="json") != scenario_entry(
        market
    ).model_dump(mode="json"):
        yield MANIFEST, "says other things of its market than the market itself"
    expected = worlds_of(design_from(canonical))
    if plan_text(frame.plan) != plan_text(expected):
        lost = len({spec.world for spec in expected} - {spec.world for spec in frame.plan})
        more = len({spec.world for spec in frame.plan} - {spec.world for spec in expected})
        yield PLAN, f"is not the plan of its study: {lost} worlds are missing, {more} are no worlds of it"


def _same_sources(manifest: Manifest) -> bool:
    """Tell whether what a market says of itself can be asked here: another version may say it otherwise."""
    known = manifest.scenario.published is not None and manifest.sources
    return bool(known) and dict(manifest.sources) == hashes_of(manifest.sources)


def study_faults(frame: Frame, load: LoadStudy) -> Iterator[tuple[str, str]]:
    """Yield (file, what is wrong) where the study's own file says another study than the resolved one."""
    try:
        study = load(frame.run / STUDY)
    except ArenaError:
        return
    told = study.canonical()
    for name in _WRITTEN:
        if told[name] != frame.canonical[name]:
            lines = difference({name: frame.canonical[name]}, {name: told[name]})
            yield STUDY, f"is not the study of {CANONICAL}: {'; '.join(lines[:3])}"
            return
    for line in difference(_parts(frame.canonical), _parts(told))[:1]:
        yield STUDY, f"is not the study of {CANONICAL}: {line}"


def unread_study(frame: Frame, load: LoadStudy) -> str | None:
    """Return why the study's own file cannot be compared here, or None."""
    if STUDY in frame.rewritten:
        return f"{STUDY}: rewritten for the export"
    try:
        load(frame.run / STUDY)
    except ArenaError as fault:
        return f"{STUDY} cannot be resolved here ({fault})"
    return None


def _parts(canonical: Mapping[str, Json]) -> dict[str, Json]:
    """Return what contestants and market are, without what only this program's version says of them."""
    return {
        "market": {key: canonical["market"][key] for key in ("id", "overrides")},
        "contestants": {
            name: {key: entry[key] for key in ("policy", "parameters", "route")}
            for name, entry in canonical["contestants"].items()
        },
        "routes": {route: binding(entry) for route, entry in canonical["routes"].items()},
    }


def _hash(canonical: Mapping[str, Json]) -> str:
    bound = {**canonical, "routes": _parts(canonical)["routes"]}
    return seal.digest(bound)
