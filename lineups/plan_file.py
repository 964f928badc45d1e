"""Planned worlds as JSON lines, one world a line: the plan of a run, written and read by one codec."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from lineups.values import WorldSpec
from tournament.errors import DamageError
from tournament.records import Json


def plan_text(worlds: Iterable[WorldSpec]) -> str:
    """Return worlds as the text of a plan file, in their order."""
    return "".join(json.dumps(asdict(spec), ensure_ascii=False) + "\n" for spec in worlds)


def read_plan_file(path: Path) -> tuple[WorldSpec, ...]:
    """Return the worlds of a plan file in their order of play.

    Raises FileNotFoundError where there is none, DamageError naming the file where it cannot be understood.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return tuple(spec_from_json(json.loads(line)) for line in lines)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, TypeError, KeyError) as fault:
        raise DamageError(f"{path} is damaged: {fault}") from None


def spec_from_json(value: Mapping[str, Json]) -> WorldSpec:
    """Return the world of a JSON object as `asdict` gives it; raises KeyError or TypeError for another shape."""
    tuples = {key: tuple(value[key]) for key in ("replaced", "replaced_seats", "seats")}
    return WorldSpec(**{**value, **tuples})
