"""The registered market `ceo_arena@1`: parameters fixed, worlds opened by seed.

What plays a world is imported when one is opened: the compiler behind it takes half a second and
seventy megabytes, which a process that only plans or publishes need not pay.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from market.ceo_arena.parameters import Parameters, configured, digest
from market.ceo_arena.rules import Rules, rules_of
from market.ceo_arena.state import ACCOUNTS
from tournament.published import Published
from tournament.records import Json

if TYPE_CHECKING:
    from market.ceo_arena.world import CompanyWorld

MARKET_ID = "ceo_arena@1"


class CompanyMarket:
    """A scenario of `ceo_arena@1`."""

    id = MARKET_ID

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters

    @property
    def scenario(self) -> str:
        standard = Parameters()
        return self.id if self.parameters == standard else f"{self.id}+{digest(self.parameters)[:12]}"

    @property
    def days(self) -> int:
        return self.parameters.days

    @property
    def windows(self) -> int:
        return self.parameters.windows

    @property
    def accounts(self) -> tuple[str, ...]:
        return ACCOUNTS

    @property
    def published(self) -> Published:
        from market.ceo_arena.published import PUBLISHED  # noqa: PLC0415

        return PUBLISHED

    @cached_property
    def rules(self) -> Rules:
        return rules_of(self.parameters)

    def describe(self) -> Mapping[str, Json]:
        described: dict[str, Json] = self.parameters.model_dump(mode="json")
        return described

    def open(self, seed: int, seats: int) -> CompanyWorld:
        from market.ceo_arena.world import CompanyWorld  # noqa: PLC0415

        return CompanyWorld(self.id, self.parameters, self.rules, seed, seats)


class CompanyMarketKind:
    """The market as the registry lists it."""

    id = MARKET_ID
    summary = "Firms with identical endowments sell three products to three segments for 500 days."

    def configure(self, overrides: Mapping[str, Json]) -> CompanyMarket:
        return CompanyMarket(configured(overrides))

    def prepare(self, announce: Callable[[str], None]) -> None:
        from market.jit import CACHE_FOLDER, is_compiled  # noqa: PLC0415

        if not is_compiled("ceo_arena"):
            announce("compiling the market's kernels, once for this machine and version (about 20 seconds)")
            if CACHE_FOLDER is not None:
                _compile_elsewhere()
        play_a_day()


def play_a_day() -> None:
    """Run every kernel once: compiled now, or read from the cache."""
    CompanyMarket(Parameters(days=1)).open(0, 2).settle([None, None])


def _compile_elsewhere() -> None:
    """Fill the cache in a process that ends: the compiler's 300 MB would stay with a run for days.

    Should that fail, the kernels are compiled here when they are first called.
    """
    program = f"from {__name__} import play_a_day; play_a_day()"
    places = os.pathsep.join(place for place in sys.path if place)
    subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={**os.environ, "PYTHONPATH": places},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        check=False,
    )


MARKET = CompanyMarketKind()
