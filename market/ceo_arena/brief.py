"""The market's own words for a reader: the guide for a system prompt and a window's briefing.

The texts are in `texts/`, rendered strictly: a missing fact is an error, never an empty place.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from market.ceo_arena.facts import catalogue
from market.ceo_arena.parameters import Parameters
from tournament.records import Json

TEXTS = Path(__file__).resolve().parent / "texts"


def dollars(cents: int) -> str:
    """Show cents as dollars with thousands: -123456 is -$1,234.56."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


@lru_cache(maxsize=4)
def _template(name: str) -> Template:
    environment = Environment(
        loader=FileSystemLoader(TEXTS),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
    )
    environment.filters["dollars"] = dollars
    return environment.get_template(name)


def guide(parameters: Parameters, seats: int) -> str:
    """Return the rules in words: the same for every seat and every day of a scenario."""
    values: dict[str, Any] = {"p": parameters, "seats": seats, **catalogue(parameters)}
    return _template("guide.txt.j2").render(values)


def brief(facts: Mapping[str, Json]) -> str:
    """Return the briefing computed from a seat's observation; periods without data say so."""
    return _template("brief.txt.j2").render(facts)
