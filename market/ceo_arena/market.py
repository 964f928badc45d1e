"""The registered market `ceo_arena@1`: parameters fixed, worlds opened by seed.

What plays a world is imported when one is opened: the compiler behind it takes half a second and
seventy megabytes, which a process that only plans or publishes need not pay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from market.ceo_arena.parameters import Parameters, configured, digest
from market.ceo_arena.rules import Rules, rules_of
from market.ceo_arena.state import ACCOUNTS
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
        from market.jit import is_compiled  # noqa: PLC0415

        if not is_compiled():
            announce("compiling the market's kernels, once for this machine and version (about 20 seconds)")
        CompanyMarket(Parameters(days=1)).open(0, 2).settle([None, None])


MARKET = CompanyMarketKind()
