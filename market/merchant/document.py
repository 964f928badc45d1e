"""docs/markets/merchant.md: the market in words, its tables written from the code's own figures.

Run `python -m market.merchant.document` to write it again; a test holds the file against the code.
"""

from __future__ import annotations

from pathlib import Path

from market.merchant import figures
from market.merchant.accounts import ACCOUNTS
from market.merchant.categories import CATEGORIES, STYLES
from market.merchant.parameters import Parameters
from market.merchant.schema import SCHEMA
from market.merchant.season import FESTIVALS, KNOTS, WEEKDAYS, date_of
from market.merchant.state import EVENTS
from market.merchant.tools import ROWS

TEXT = Path(__file__).resolve().parent / "texts" / "market.md.j2"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "markets" / "merchant.md"


def parameter_rows() -> list[tuple[str, str, str, str, str]]:
    """Return name, value, unit, origin and meaning of every parameter."""
    standard = Parameters()
    rows = []
    for name, field in Parameters.model_fields.items():
        extra = field.json_schema_extra
        assert isinstance(extra, dict)
        value = str(getattr(standard, name))
        rows.append((name, value, str(extra["unit"]), str(extra["origin"]), str(field.description)))
    return rows


def render() -> str:
    """Return the page's text."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - documents alone need templates

    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    template = environment.from_string(TEXT.read_text(encoding="utf-8"))
    text: str = template.render(
        f=figures,
        rows=parameter_rows(),
        accounts=ACCOUNTS,
        categories=CATEGORIES,
        styles=STYLES,
        schema=SCHEMA,
        tools=ROWS,
        events=EVENTS,
        weekdays=WEEKDAYS,
        knots=KNOTS,
        festivals=[(name, first, last, date_of(first - 1)) for name, first, last in FESTIVALS],
    )
    return text.rstrip() + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(render(), encoding="utf-8")
