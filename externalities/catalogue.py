"""Every table of a run by its file name, as its market's declaration makes it: for those who read them."""

from __future__ import annotations

from collections.abc import Mapping

from externalities.analysis import DECOMPOSED, tables_of
from externalities.outcome_rows import outcomes_table
from externalities.paths import paths_table
from externalities.power_tables import POWER
from externalities.rows import TableSpec
from externalities.salvage import SALVAGE_TABLE
from tournament.published import Published


def written_tables(published: Published) -> tuple[TableSpec, ...]:
    """Return the tables that `RUN/externalities` may hold, in the order of their description."""
    cash = (SALVAGE_TABLE,) if published.offers_cash_score else ()
    return (*tables_of(published), *cash, paths_table(published), *DECOMPOSED, POWER)


def catalogue(published: Published) -> Mapping[str, TableSpec]:
    """Return `outcomes.csv` and every table of `RUN/externalities` by file name."""
    return {spec.file: spec for spec in (outcomes_table(published), *written_tables(published))}
