"""The market's own words for a reader: the guide for a system prompt and a window's briefing.

The texts are in `texts/`, rendered strictly: a missing fact is an error, never an empty place. Shelves
and lists are shown up to a limit, and told where they are cut: the tables hold the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from market.merchant import figures
from market.merchant.growing import supply_changes
from market.merchant.parameters import HOURS_A_WINDOW, WINDOWS_A_DAY, Parameters
from market.merchant.report import told
from market.merchant.season import date_of
from tournament.records import Json

if TYPE_CHECKING:
    from market.merchant.world import MerchantWorld

TEXTS = Path(__file__).resolve().parent / "texts"
SHOWN_CHANGES = 12
SHOWN_IDLE = 12
IDLE_DAYS = 7


def yuan(cents: int) -> str:
    """Show fen as RMB with thousands: -123456 is -1,234.56."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"


@lru_cache(maxsize=4)
def template(name: str) -> Template:
    """Return a text of this market."""
    environment = Environment(
        loader=FileSystemLoader(TEXTS),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
    )
    environment.filters["yuan"] = yuan
    return environment.get_template(name)


def guide(parameters: Parameters, seats: int) -> str:
    """Return the rules in words: the same for every seat and every day of a scenario."""
    return template("guide.txt.j2").render(p=parameters, seats=seats, f=figures)


def brief(world: MerchantWorld, m: int, facts: Mapping[str, Json]) -> str:
    """Return the briefing of merchant m (from 0); periods without data say so."""
    window = facts["window"]
    complete = window - window % WINDOWS_A_DAY
    sight, day = world.sight, facts["day"] - 1
    last_week = WINDOWS_A_DAY * 7
    changes = list(supply_changes(world, m, window - 1)) if window else []
    idle = _idle(facts)
    return template("brief.txt.j2").render(
        facts=facts,
        date=f"{date_of(day):%A, %d %B %Y}",
        days=world.parameters.days,
        listed=len(facts["listings"]),
        periods=(
            ("last half-day", sight.period(m, window - 1, window)),
            ("last 7 days", sight.period(m, complete - last_week, complete)),
            ("7 days before", sight.period(m, complete - 2 * last_week, complete - last_week)),
        ),
        changes=changes[:SHOWN_CHANGES],
        more_changes=len(changes) - SHOWN_CHANGES,
        idle=idle[:SHOWN_IDLE],
        more_idle=len(idle) - SHOWN_IDLE,
        next_star=_next_star(facts),
        report=told(world.reports.of(day)),
    )


def _idle(facts: Mapping[str, Json]) -> list[str]:
    """Return the listings that have sold nothing for seven days."""
    now = HOURS_A_WINDOW * facts["window"]
    found = []
    for row in facts["listings"]:
        sold = row["last_sale_hour"]
        since = row["listed_hour"] if sold is None else sold
        if (now - since) // 24 >= IDLE_DAYS:
            found.append(row["product"])
    return found


def _next_star(facts: Mapping[str, Any]) -> float | None:
    """Return how much rating is missing to the next star, or None at five."""
    thresholds = [value for value in figures.STAR_THRESHOLDS if value > facts["rating"]]
    return thresholds[0] - facts["rating"] if thresholds else None
