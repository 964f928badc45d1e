"""Numbers as people read them: units, digits, signs and thousands, in one place.

Files hold cents and plain fractions; what is shown is thousands of dollars, per cent, counts. Formatting
is all that happens here: a number is rounded for the eye and never combined with another.
"""

from __future__ import annotations

from typing import Final

MINUS: Final = "\N{MINUS SIGN}"
DASH: Final = "\N{EN DASH}"
CENTS_A_THOUSAND: Final = 100_000

Value = str | int | float | bool | None


def thousands(cents: float) -> str:
    """Return cents as thousands of dollars with two decimals: 194.15, −1,290.54."""
    return _signed(f"{abs(cents) / CENTS_A_THOUSAND:,.2f}", cents)


def money(cents: float) -> str:
    """Return cents as an amount within a sentence: $194.15k, −$290.54k."""
    return _signed(f"${abs(cents) / CENTS_A_THOUSAND:,.2f}k", cents)


def signed_money(cents: float) -> str:
    """Return an amount whose sign matters either way: +$41.17k, −$290.54k."""
    text = money(cents)
    return text if text.startswith((MINUS, "$0.00")) else f"+{text}"


def dollars(cents: float) -> str:
    """Return cents as dollars and cents: 1,234.05, −12.00."""
    return _signed(f"{abs(cents) / 100:,.2f}", cents)


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
    return f"{MINUS}{text}" if number < 0 and text.strip("$k0.,% \N{NO-BREAK SPACE}") else text
