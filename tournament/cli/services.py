"""What the composition root lends to a study: validation of routes, bounds of cost, services for seats."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tournament.plan import Bounds
from tournament.study import Study, load_study


def open_study(file: Path) -> Study:
    """Return the study of a file, its routes validated by the rooms that speak to providers."""
    return load_study(file)


def cost_bounds(study: Study) -> Bounds | None:
    """Return what bounds a window of the study's model contestants, or None where nothing does."""
    return None


def seat_services(study: Study, run: Path) -> Mapping[str, Any]:
    """Return what seats that are not model-free find in their context, by name."""
    from tournament.cli.spending import restored_meter

    if all(contestant.route is None for contestant in study.contestants.values()):
        return {}
    limits = study.limits
    return {"spend": restored_meter(run, usd=limits.usd, usd_per_world=limits.usd_per_world)}
