"""Numbers as people read them: units, digits, signs and thousands, in one place.

Files hold cents and plain fractions; what is shown is thousands of the market's currency (or single
units of it, where nothing reaches a thousand), per cent, counts, places in the market's time. Formatting
is all that happens here: a number is rounded for the eye and never combined with another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tournament.published import Currency, TimeAxis

MINUS: Final = "\N{MINUS SIGN}"
DASH: Final = "\N{EN DASH}"
CENTS: Final = 100

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """How a market's cents are written: in thousands of its currency, or in single units of it."""

    currency: Currency = field(default_factory=Currency)
    in_thousands: bool = True

    @property
    def unit(self) -> str:
        """The unit of headings and axes: thousand USD."""
        return f"thousand {self.currency.code}" if self.in_thousands else self.currency.code

    def scaled(self, cents: float) -> float:
        """Return cents in that unit."""
        return cents / (CENTS * 1000 if self.in_thousands else CENTS)

    def bare(self, cents: float) -> str:
        """Return cents in that unit with two decimals: 194.15, −1,290.54."""
        return _signed(f"{abs(self.scaled(cents)):,.2f}", cents)

    def text(self, cents: float) -> str:
        """Return an amount within a sentence: $194.15k, −$290.54k."""
        end = "k" if self.in_thousands else ""
        return _signed(f"{self.currency.sign}{abs(self.scaled(cents)):,.2f}{end}", cents)

    def signed(self, cents: float) -> str:
        """Return an amount whose sign matters either way: +$41.17k, −$290.54k."""
        text = self.text(cents)
        return text if text.startswith(MINUS) or not _is_seen(text) else f"+{text}"

    def full(self, cents: float) -> str:
        """Return an amount to the cent, with the currency's code: 1,234.05 USD, −12.00 EUR."""
        return f"{units(cents)} {self.currency.code}"


def fitting_money(currency: Currency, most_cents: float) -> Money:
    """Return how amounts up to this one are written: in thousands where one reaches a thousand."""
    return Money(currency=currency, in_thousands=most_cents >= CENTS * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """A run's money and time as its market declares them."""

    money: Money = field(default_factory=Money)
    time: TimeAxis = field(default_factory=TimeAxis)

    @property
    def axis(self) -> str:
        """The title of a time axis: the unit, or days where a day has several steps."""
        return "day" if self.time.steps_per_day > 1 else self.time.unit

    def at(self, step: float) -> float:
        """Return where a step stands on a time axis."""
        return step / self.time.steps_per_day

    def span(self, first: int, last: int) -> str:
        """Return steps from one to another in words: days 1 to 7; day 1, 00:00 to day 1, 12:00."""
        plain = self.time.steps_per_day == 1 and not self.time.named
        if plain:
            return f"{self.time.plural} {first} to {last}"
        return f"{self.time.moment(first)} to {self.time.moment(last)}"


def units(cents: float) -> str:
    """Return cents in units of the currency: 1,234.05, −12.00."""
    return _signed(f"{abs(cents) / CENTS:,.2f}", cents)


def usd(amount: float) -> str:
    """Return a cost that is kept in dollars: 0.0132, 12.40."""
    return f"{amount:,.4f}" if abs(amount) < 1 else f"{amount:,.2f}"


def count(number: float) -> str:
    """Return a whole number with thousands; means of counts keep one decimal."""
    return _signed(f"{abs(number):,.0f}" if float(number).is_integer() else f"{abs(number):,.1f}", number)


def percent(share: float) -> str:
    """Return a share of one in per cent with one decimal: 12.5 %."""
    return _signed(f"{abs(share) * 100:,.1f}\N{NO-BREAK SPACE}%", share)


def probability(p: float) -> str:
    """Return a probability: three decimals, below 0.001 as such."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def decimal(number: float) -> str:
    """Return a number without unit, to three decimals."""
    return _signed(f"{abs(number):,.3f}", number)


def interval(low: str, high: str) -> str:
    return f"[{low}, {high}]"


def _signed(text: str, number: float) -> str:
    """Return the text with a minus in front, unless all that is shown are zeros."""
    return f"{MINUS}{text}" if number < 0 and _is_seen(text) else text


def _is_seen(text: str) -> bool:
    """Whether any digit that is shown is not zero."""
    return any(letter in "123456789" for letter in text)
