"""docs/markets/commerce.md: the market in words, its tables written from the code's own numbers.

Run `python -m market.commerce.document` to write it again; a test holds the file against the code.
"""

from __future__ import annotations

from pathlib import Path

from market.commerce import parameters as numbers
from market.commerce import queries, tools
from market.commerce.daily import DAILY
from market.commerce.inquiries import ASKED, MULTIPLIER
from market.commerce.market import MARKET_ID
from market.commerce.messages import TEXTS
from market.commerce.schema import SCHEMA
from market.commerce.state import ACCOUNTS

TEXT = Path(__file__).resolve().parent / "texts" / "market.md.j2"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "markets" / "commerce.md"


def _areas() -> dict[str, tuple[list[str], list[str]]]:
    """Return the names of staging and reading calls by area."""
    areas: dict[str, tuple[list[str], list[str]]] = {}
    for row in queries.ROWS:
        areas.setdefault(row[0], ([], []))[1].append(row[1])
    for call in tools.ROWS:
        areas.setdefault(call[0], ([], []))[0].append(call[1])
    return areas


def render() -> str:
    """Return the page's text."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - documents alone need templates

    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    template = environment.from_string(TEXT.read_text(encoding="utf-8"))
    text: str = template.render(
        id=MARKET_ID,
        n=numbers,
        p=numbers.Parameters(),
        fields=numbers.Parameters.model_fields,
        accounts=ACCOUNTS,
        areas=_areas(),
        tables=SCHEMA,
        growing=sorted(DAILY),
        asked=ASKED,
        personas=numbers.PERSONAS,
        multipliers=MULTIPLIER,
        texts=TEXTS,
    )
    return text.rstrip() + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(render(), encoding="utf-8")
