"""What the composition root lends to a study: validation of routes, bounds of cost, services for seats."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tournament.errors import InputError
from tournament.plan import Bounds, WindowBound
from tournament.study import Contestant, Study, load_study

if TYPE_CHECKING:
    from agents.routes.entry import RouteEntry


def open_study(file: Path) -> Study:
    """Return the study of a file, its routes validated by the rooms that speak to providers."""
    from agents.routes.entry import RouteEntry

    return load_study(file, RouteEntry.model_validate)


def cost_bounds(study: Study) -> Bounds | None:
    """Return what bounds a window of the study's model contestants, or None where it has none."""
    from agents.routes.build import parse_entries

    entries = parse_entries(study.routes)

    def bound(contestant: Contestant) -> WindowBound | None:
        from agents.llm.policy import LlmParameters
        from agents.routes.library import litellm
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
    from agents.routes.build import close_routes
    from tournament.cli.spending import restored_meter

    if all(contestant.route is None for contestant in study.contestants.values()):
        return {}
    limits = study.limits
    capped = limits.usd is not None or limits.usd_per_world is not None
    return {
        "spend": restored_meter(run, usd=limits.usd, usd_per_world=limits.usd_per_world),
        "routes": _open_routes(_used(study), folder, capped),
        "close": close_routes,
    }


def _used(study: Study) -> list[RouteEntry]:
    from agents.routes.build import parse_entries

    design = study.design
    played = [*design.lineup, *(reference.contestant for reference in design.references)]
    used = {study.contestants[name].route for name in played}
    return [entry for name, entry in parse_entries(study.routes).items() if name in used]


def _open_routes(entries: list[RouteEntry], folder: Path, capped: bool) -> Mapping[str, Any]:
    from agents.routes.build import open_routes

    if not all(entry.is_mock for entry in entries):
        from agents.routes.check import problems

        wrong = problems(entries, os.environ, priced=capped)
        if wrong:
            raise InputError("; ".join(map(str, wrong)))
    return open_routes(entries, environment=os.environ, folder=folder)
