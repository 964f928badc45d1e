"""Every number of the market `commerce@1`, and the three that a study may override.

Origins (printed in the paper, derived from printed figures, chosen) are kept beside the tables of the
generated page docs/markets/commerce.md. Money is integer US cents, shares are per mille or percent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tournament.errors import InputError
from tournament.field_errors import fault_words

DOMAIN: Final = "commerce-v1"

COUNTRIES: Final = ("CN", "US", "EU", "BR", "VN", "SA")
HOME: Final = 0  # the country of every warehouse
FREIGHT_RATE: Final = (60, 420, 400, 700, 180, 500)  # cents a kilogram from CN
DAYS: Final = 30
ROWS: Final = DAYS + 1  # exogenous rows: the day after the last one values what is left
SETUP_DAY: Final = 0
ARRIVAL_LIMIT: Final = DAYS  # the day that never comes
SKUS_IN_CATEGORY: Final = 9
OFFERS: Final = 965
SUPPLIERS: Final = 831


class Category(NamedTuple):
    """Unit cost in cents, weight in hundredths of a kilogram, duty per mille by country."""

    code: str
    name: str
    cost: int
    weight: int
    duty: tuple[int, ...]


CATEGORIES: Final = (
    Category("SH", "shoes", 1200, 80, (0, 200, 120, 350, 100, 50)),
    Category("TB", "bags", 900, 60, (0, 180, 80, 350, 100, 50)),
    Category("AP", "apparel", 800, 40, (0, 170, 120, 350, 120, 50)),
    Category("EL", "electronics", 2200, 70, (0, 50, 40, 300, 50, 50)),
    Category("HD", "home decor", 700, 120, (0, 60, 40, 250, 80, 50)),
    Category("KT", "kitchen", 900, 130, (0, 50, 60, 250, 80, 50)),
    Category("TY", "toys", 800, 60, (0, 30, 40, 350, 60, 50)),
    Category("BT", "beauty", 500, 30, (0, 30, 50, 250, 80, 65)),
    Category("SP", "sports", 1300, 140, (0, 60, 50, 280, 60, 50)),
    Category("PT", "pets", 700, 90, (0, 50, 40, 250, 60, 50)),
    Category("OF", "office", 500, 50, (0, 40, 30, 220, 60, 50)),
    Category("JW", "jewelry", 1500, 15, (0, 90, 40, 250, 60, 50)),
    Category("AU", "auto parts", 1800, 220, (0, 50, 60, 300, 100, 50)),
    Category("GD", "garden", 1400, 200, (0, 60, 40, 220, 60, 50)),
    Category("FD", "packaged food", 400, 70, (0, 80, 150, 180, 120, 50)),
)
CODES: Final = tuple(category.code for category in CATEGORIES)
SKUS: Final = len(CATEGORIES) * SKUS_IN_CATEGORY
SKU_IDS: Final = tuple(f"{code}-{n:02d}" for code in CODES for n in range(1, SKUS_IN_CATEGORY + 1))
OFFER_IDS: Final = tuple(f"O{j:04d}" for j in range(OFFERS))
SUPPLIER_IDS: Final = tuple(f"S{n:04d}" for n in range(SUPPLIERS))


class Festival(NamedTuple):
    """Peak day and hidden factor, with the countries and categories that keep it."""

    name: str
    countries: tuple[str, ...]
    peak: int
    categories: tuple[str, ...]
    factor: float


def _festival(name: str, countries: str, peak: int, categories: str, factor: float) -> Festival:
    return Festival(name, tuple(countries.split()), peak, tuple(categories.split()), factor)


FESTIVALS: Final = (
    _festival("Super Bowl", "US", 3, "EL SP FD", 1.5),
    _festival("Spring Festival", "CN", 4, "AP FD HD JW", 1.7),
    _festival("Tet", "VN", 4, "AP FD HD", 1.7),
    _festival("Valentine's Day", "US EU", 3, "JW BT", 1.6),
    _festival("Carnaval", "BR", 4, "AP BT SH", 1.8),
    _festival("Ramadan", "SA", 5, "FD KT HD", 1.5),
    _festival("Eid al-Fitr", "SA", 7, "AP TY BT", 1.7),
    _festival("Easter", "EU", 8, "FD TY GD", 1.4),
    _festival("Mother's Day", "US EU", 10, "JW BT HD", 1.5),
    _festival("Eid al-Adha", "SA", 12, "AP SH", 1.5),
    _festival("618", "CN", 13, "EL KT BT SH", 1.7),
    _festival("Independence Day", "US", 15, "GD SP FD", 1.4),
    _festival("Back-to-School", "US EU", 18, "OF TB SH", 1.6),
    _festival("Saudi National Day", "SA", 21, "HD AP", 1.4),
    _festival("Mid-Autumn", "CN", 22, "FD HD", 1.5),
    _festival("Halloween", "US", 24, "TY AP HD", 1.6),
    _festival("Singles' Day", "CN", 25, "EL AP BT TB SH", 2.0),
    _festival("White Friday", "SA", 26, "EL AP BT", 1.8),
    _festival("Black Friday", "US EU", 26, "EL TY AP KT", 2.0),
    _festival("Christmas", "US EU", 28, "TY JW HD PT", 1.8),
)
PHASES: Final = ("approaching", "peak", "ending", "dormant")
APPROACHING, PEAK, ENDING, DORMANT = range(4)

SIGNALS: Final = 24
DEMAND_SIGNALS: Final = 12
KINDS: Final = ("demand", "tariff", "freight", "supply")
INQUIRY_TRIES: Final = 40
SUPPLY_DELAY: Final = 2

SPEEDS: Final = ("standard", "express")
INCOTERMS: Final = ("DDP", "DAP", "FOB")
STANDARD, EXPRESS = range(2)
DDP, DAP, FOB = range(3)

CAPITAL_CENTS: Final = 8_000_000
OVERHEAD_CENTS: Final = 15_000
FOCUS_FEE: Final = 20_000
FOCUS_LIMIT: Final = 3
LOAN_LIMIT: Final = 4_000_000
PAYABLES_LIMIT: Final = 2_000_000
LOAN_INTEREST: Final = 2  # per mille a day
OVERDRAFT_INTEREST: Final = 3  # per mille a day
FACTORING_FEE: Final = 3  # percent, rounded up
LIQUIDATION_PERCENT: Final = 45
SALVAGE_PERCENT: Final = 40
FINE_STEP: Final = 50_000
FINE_LIMIT: Final = 250_000
NET_DAYS: Final = 7
CONSUMER_TERMS: Final = 2  # days until a consumer's money comes
TRADE_TERMS: Final = 5  # days until a business buyer's money comes
PERSONAS = ("bargain hunter", "quality seeker", "urgent", "formal")
FALSE_CLAIM_PERCENT: Final = 30  # what is paid of a sale with a claim that does not hold
PARTNER: Final = (8, 30)  # orders with the supplier, discount per mille
PREFERRED: Final = (3, 15)
VOLUME: Final = ((20, 60), (5, 30))  # multiples of the MOQ, discount per mille
MILLION: Final = 1_000_000

MOST_BUYS: Final = 100
MOST_LISTINGS: Final = SKUS * len(COUNTRIES)
MOST_CENTS: Final = 1_000_000_000
MOST_UNITS: Final = 1_000_000
MOST_PRICE: Final = 10_000_000
MOST_AD: Final = 100_000
MOST_PROMOTION: Final = 50
TIER_UNITS: Final = (2, 120)
TIER_PERCENT: Final = (1, 50)
SEATS: Final = 8


class Archetype(NamedTuple):
    """A scripted seller's rule: sourcing, target stock, price over guide, ads per mille, phase factors."""

    name: str
    source: Literal["price", "lead", "quality", "number"]
    target: int
    price: float
    ad: int
    price_by_phase: tuple[float, float, float, float]
    stock_by_phase: tuple[float, float, float, float]


ARCHETYPES: Final = (
    Archetype("undercutter", "price", 60, 0.90, 10, (1, 1, 1, 1), (1.2, 1, 0.8, 1)),
    Archetype("tracker", "price", 60, 0.85, 10, (1, 1, 1, 1), (1.2, 1, 0.8, 1)),
    Archetype("velocity", "lead", 80, 0.90, 15, (1, 1.05, 1, 1), (1.5, 1.2, 0.8, 1)),
    Archetype("opportunist", "lead", 60, 0.95, 20, (1, 1.15, 0.95, 1), (2.5, 1, 0.5, 1)),
    Archetype("liquidator", "price", 80, 0.80, 8, (1.05, 1, 0.7, 1), (0.5, 1, 1, 1)),
    Archetype("event_sniper", "lead", 50, 0.95, 25, (1, 1.5, 0.9, 1), (2, 1, 0, 1)),
    Archetype("premium", "quality", 30, 1.25, 20, (1, 1.1, 1, 1), (1.2, 1, 1, 1)),
    Archetype("cross_border", "quality", 40, 1.05, 12, (1, 1.05, 1, 1), (1.2, 1, 1, 1)),
    Archetype("wholesale", "price", 120, 0.90, 6, (1, 1, 1, 1), (1.3, 1, 1, 1)),
    Archetype("dormant", "number", 20, 1.10, 6, (1, 1, 1, 1), (1, 1, 1, 1)),
)
UNDERCUTTER, TRACKER, VELOCITY, OPPORTUNIST, LIQUIDATOR, SNIPER, PREMIUM, CROSS_BORDER, WHOLESALE, SLEEPER = (
    range(10)
)


class Tier(NamedTuple):
    """A scripted seller's size: capital, assortment, overhead a day, scale of its stock."""

    name: str
    share: float  # cumulated
    capital: int
    skus: int
    countries: int
    overhead: int
    scale: float


TIERS: Final = (
    Tier("micro", 0.45, 500_000, 3, 1, 1_500, 0.6),
    Tier("small", 0.75, 2_500_000, 6, 2, 5_000, 1.0),
    Tier("mid", 0.93, 8_000_000, 12, 2, 12_000, 1.5),
    Tier("large", 0.98, 30_000_000, 25, 3, 40_000, 2.5),
    Tier("enterprise", 1.0, 100_000_000, 45, 4, 100_000, 4.0),
)


class Parameters(BaseModel):
    """One scenario: the catalogue's seed, whether the scripted sellers are there, and the horizon."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    catalog_seed: Annotated[int, Field(ge=0, description="seed of the catalogue")] = 2026
    sellers: Annotated[Literal[0, 60], Field(description="scripted sellers")] = 60
    days: Annotated[int, Field(ge=1, le=DAYS, description="days after the setup")] = DAYS

    @property
    def windows(self) -> int:
        """Decision windows: the setup and one a day."""
        return self.days + 1


def configured(overrides: Mapping[str, Any]) -> Parameters:
    """Return the scenario; raises InputError for a wrong name or value."""
    allowed = "catalog_seed (0 or more), sellers (0 or 60), days (1 to 30)"
    unknown = sorted(set(overrides) - set(Parameters.model_fields))
    if unknown:
        near = get_close_matches(unknown[0], Parameters.model_fields, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise InputError(f"unknown override {unknown[0]!r}; {hint}allowed: {allowed}", field="overrides")
    try:
        return Parameters(**dict(overrides))
    except ValidationError as failure:
        first = failure.errors()[0]
        place = ".".join(str(part) for part in ("overrides", *first["loc"]))
        raise InputError(
            f"{fault_words(first, first['input'])}; allowed: {allowed}"[:400], field=place
        ) from None


def digest(parameters: Parameters) -> str:
    """Return the SHA-256 hex digest over every parameter."""
    text = json.dumps(parameters.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
