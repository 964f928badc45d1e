"""The registered market `merchant@1`: parameters fixed, worlds opened by seed.

What plays a world is imported when one is opened: the compiler behind it takes half a second and
seventy megabytes, which a process that only plans or publishes need not pay.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from market.merchant.parameters import Parameters, configured, digest
from tournament.published import Published
from tournament.records import Json

if TYPE_CHECKING:
    from market.merchant.world import MerchantWorld

MARKET_ID = "merchant@1"


class MerchantMarket:
    """A scenario of `merchant@1`."""

    id = MARKET_ID

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters

    @property
    def scenario(self) -> str:
        standard = Parameters()
        return self.id if self.parameters == standard else f"{self.id}+{digest(self.parameters)[:12]}"

    @property
    def days(self) -> int:
        """Half-days: the seam's day is this market's window."""
        return self.parameters.windows

    @property
    def windows(self) -> int:
        return self.parameters.windows

    @property
    def accounts(self) -> tuple[str, ...]:
        from market.merchant.accounts import ACCOUNTS  # noqa: PLC0415

        return ACCOUNTS

    @property
    def published(self) -> Published:
        from market.merchant.published import PUBLISHED  # noqa: PLC0415

        return PUBLISHED

    def describe(self) -> Mapping[str, Json]:
        from market.merchant.described import described  # noqa: PLC0415

        return described(self.parameters)

    def open(self, seed: int, seats: int) -> MerchantWorld:
        from market.merchant.catalog import catalog_of  # noqa: PLC0415
        from market.merchant.world import MerchantWorld  # noqa: PLC0415

        catalog = catalog_of(self.parameters.catalog_seed, self.parameters.products)
        return MerchantWorld(self.id, self.scenario, self.parameters, catalog, seed, seats)


class MerchantMarketKind:
    """The market as the registry lists it."""

    id = MARKET_ID
    summary = "Stores on one platform resell a catalogue through shared suppliers, hour by hour, for a year."

    def configure(self, overrides: Mapping[str, Json]) -> MerchantMarket:
        return MerchantMarket(configured(overrides))

    def prepare(self, announce: Callable[[str], None]) -> None:
        from market.jit import CACHE_FOLDER, is_compiled  # noqa: PLC0415

        if not is_compiled("merchant"):
            announce("compiling the market's kernels, once for this machine and version (about 30 seconds)")
            if CACHE_FOLDER is not None:
                _compile_elsewhere()
        play_a_day()


def play_a_day() -> None:
    """Run every kernel once: compiled now, or read from the cache."""
    world = MerchantMarket(Parameters(days=1, products=50)).open(0, 2)
    for _ in range(world.windows):
        world.settle([None, None])


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


MARKET = MerchantMarketKind()
