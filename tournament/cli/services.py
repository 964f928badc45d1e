"""What the composition root gives to a study: validation of routes, bounds of cost, services for seats."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tournament.errors import InputError, InputErrors
from tournament.study.file import Contestant, Study, load_study
from tournament.study.plan import Bounds, WindowBound

if TYPE_CHECKING:
    from agents.routes.entry import RouteEntry
    from agents.routes.problem import Problem
    from tournament.study.routes import SourceLocation


def open_study(file: Path) -> Study:
    """Return the study of a file, its routes validated by the rooms that speak to providers."""
    from agents.routes.entry import RouteEntry

    return load_study(file, RouteEntry.model_validate)


def cost_bounds(study: Study) -> Bounds | None:
    """Return what bounds a window of the study's model contestants, or None where it has none.

    Raises InputError naming everything that is wrong with the routes in use, keys aside: a plan needs none.
    """
    if all(contestant.route is None for contestant in study.contestants.values()):
        return None
    from agents.routes.build import parse_entries

    entries = parse_entries(study.routes)
    _require_sound(study, study.folder, environment=None)

    def bound(contestant: Contestant) -> WindowBound | None:
        from agents.llm.policy import LlmParameters
        from agents.routes.adapter.library import litellm
        from agents.routes.price import context_of, tariff_of, window_usd

        if contestant.route is None or not isinstance(contestant.parameters, LlmParameters):
            return None
        entry = entries[contestant.route]
        budgets = contestant.parameters.budgets
        usd = window_usd(
            tariff_of(entry, litellm),
            context=context_of(entry, litellm),
            replies=budgets.replies,
            generated=budgets.tokens,
        )
        return WindowBound(tokens=budgets.tokens, usd=usd, seconds=float(budgets.seconds))

    return bound


def seat_services(study: Study, run: Path, folder: Path) -> Mapping[str, Any]:
    """Return what seats that are not model-free find in their context, by name.

    `folder` is the study's, where mock scripts lie. Raises InputError naming everything that is wrong
    with the routes in use, before anything is spent.
    """
    if all(contestant.route is None for contestant in study.contestants.values()):
        return {}
    from agents.llm.services import SERVICE, LlmServices
    from agents.llm.sql.pool import QueryPool
    from agents.routes.build import close_routes
    from tournament.cli.spending import restored_meter

    limits = study.limits
    capped = limits.usd is not None or limits.usd_per_world is not None
    _require_sound(study, folder, environment=os.environ, priced=capped)
    return {
        SERVICE: LlmServices(
            routes=_open_routes(_as_accepted(_used(study), run), folder),
            spend=restored_meter(run, usd=limits.usd, usd_per_world=limits.usd_per_world),
            queries=QueryPool(),
        ),
        "close": close_routes,
    }


def _used(study: Study) -> list[RouteEntry]:
    from agents.routes.build import parse_entries

    design = study.design
    played = [*design.lineup, *(reference.contestant for reference in design.references)]
    used = {study.contestants[name].route for name in played}
    return [entry for name, entry in parse_entries(study.routes).items() if name in used]


def _as_accepted(entries: list[RouteEntry], run: Path) -> list[RouteEntry]:
    """Add the model ids that an operator has accepted since a run began (`tournament routes accept`)."""
    from tournament.rundir.manifest import MANIFEST, read_manifest

    if not (run / MANIFEST).exists():
        return entries
    accepted = read_manifest(run).accepted
    return [
        entry.model_copy(update={"accepted": [*entry.accepted, *accepted.get(entry.id, ())]})
        for entry in entries
    ]


def refusals(wrong: Sequence[Problem], origins: Mapping[str, SourceLocation]) -> list[InputError]:
    """Return problems of routes as refusals at the places where their entries stand."""
    return [
        origins[problem.route].refuse(
            problem.place, problem.text, at_key=problem.place[0] in ("params", "options")
        )
        if problem.route in origins
        else InputError(str(problem))
        for problem in wrong
    ]


def _require_sound(
    study: Study, folder: Path | None, *, environment: Mapping[str, str] | None, priced: bool = False
) -> None:
    from agents.routes.check import problems

    wrong = problems(_used(study), environment, priced=priced, folder=folder)
    if wrong:
        raise InputErrors(refusals(wrong, study.origins))


def _open_routes(entries: list[RouteEntry], folder: Path) -> Mapping[str, Any]:
    from agents.routes.build import open_routes

    return open_routes(entries, environment=os.environ, folder=folder)
