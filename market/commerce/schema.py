"""The schema of a seat's company database, with a line of description for every table and column."""

from __future__ import annotations

from typing import Final

from market.commerce.daily import DAILY
from market.commerce.schema_firm import FIRM
from market.commerce.schema_market import MARKET
from tournament.records import Column, Table


def _tables() -> tuple[Table, ...]:
    return tuple(
        Table(
            name=name,
            description=description,
            grows=name in DAILY,
            columns=tuple(Column(name=column, type=kind, description=text) for column, kind, text in columns),
        )
        for name, description, columns in (*MARKET, *FIRM)
    )


SCHEMA: Final = _tables()
