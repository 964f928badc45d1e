"""The registered market `commerce@1`: a scenario fixed, worlds opened by seed.

What plays a world is imported when one is opened: the compiler behind it takes half a second and
seventy megabytes, which a process that only plans or publishes need not pay.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from market.commerce.parameters import Parameters, configured, digest
from tournament.published import Published
from tournament.records import Json

if TYPE_CHECKING:
    from market.commerce.world import CommerceWorld

MARKET_ID = "commerce@1"


class CommerceMarket:
    """A scenario of `commerce@1`."""

    id = MARKET_ID

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters

    @property
    def scenario(self) -> str:
        standard = Parameters()
        return self.id if self.parameters == standard else f"{self.id}+{digest(self.parameters)[:12]}"

    @property
    def days(self) -> int:
        """Versions of the world: the setup counts as one."""
        return self.parameters.windows

    @property
    def windows(self) -> int:
        return self.parameters.windows

    @property
    def accounts(self) -> tuple[str, ...]:
        from market.commerce.state import ACCOUNTS  # noqa: PLC0415

        return ACCOUNTS

    @property
    def published(self) -> Published:
        from market.commerce.published import PUBLISHED  # noqa: PLC0415

        return PUBLISHED

    def describe(self) -> Mapping[str, Json]:
        described: dict[str, Json] = self.parameters.model_dump(mode="json")
        return described

    def open(self, seed: int, seats: int) -> CommerceWorld:
        from market.commerce.world import CommerceWorld  # noqa: PLC0415

        return CommerceWorld(self.id, self.parameters, seed, seats)


class CommerceMarketKind:
    """The market as the registry lists it."""

    id = MARKET_ID
    summary = "Cross-border commerce: 135 SKUs in six countries, 30 days, among sixty scripted sellers."

    def configure(self, overrides: Mapping[str, Json]) -> CommerceMarket:
        return CommerceMarket(configured(overrides))

    def prepare(self, announce: Callable[[str], None]) -> None:
        from market.jit import CACHE_FOLDER  # noqa: PLC0415

        compiled = CACHE_FOLDER is not None and any(CACHE_FOLDER.rglob("day.play_market-*.nbc"))
        if not compiled:
            announce(
                "compiling the kernels of commerce@1, once for this machine and version (about 20 seconds)"
            )
            if CACHE_FOLDER is not None:
                _compile_elsewhere()
        play_a_day()


# A purchase in the setup and one later, and a sale of stock: every kernel that settling calls runs once.
_EVERY_KERNEL = (
    {"buy": [["O0000", 60]], "liquidate": {}},
    {"buy": [["O0000", 60]], "liquidate": {"SH-01": 1}},
)


def play_a_day() -> None:
    """Run every kernel once: compiled now, or read from the cache."""
    world = CommerceMarket(Parameters(days=1)).open(0, 1)
    for decision in _EVERY_KERNEL:
        world.settle([decision])


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
        check=False,
    )


MARKET = CommerceMarketKind()
