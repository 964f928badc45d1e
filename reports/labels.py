"""How declared names are said: columns, accounts, series and measures of a market, in headings and legends."""

from __future__ import annotations

from typing import Final

from tournament.published import OutcomeColumn, Published, Series

OUTCOME_MEASURES: Final = {
    "herfindahl": "Concentration of income (Herfindahl)",
    "gini": "Inequality of income (Gini)",
    "score_spread": "Spread of Scores",
}


def words(name: str) -> str:
    """Return a name as words: `final_cash_cents` is final cash."""
    return name.removesuffix("_cents").replace("_", " ")


def heading(name: str) -> str:
    """Return a name as a heading says it."""
    text = words(name)
    return text[:1].upper() + text[1:]


def legend(columns: tuple[OutcomeColumn, ...]) -> str:
    """Return what columns are, in one note."""
    return "; ".join(f"{heading(column.name)}: {column.sentence}" for column in columns) + "."


def summary_columns(published: Published) -> tuple[OutcomeColumn, ...]:
    """Return the outcome columns that belong into a summary, the Score apart."""
    return tuple(column for column in published.columns if column.summary and column.role != "score")


def averaged(published: Published) -> tuple[Series, ...]:
    """Return the paths whose averages are published."""
    return tuple(series for series in published.series if series.averaged)


def measure_titles(published: Published) -> dict[str, str]:
    """Return the titles of a market's own measures of health, by name."""
    return {measure.name: measure.title for measure in published.measures}


def measure_title(published: Published, name: str) -> str:
    """Return the title of any measure of health; those made of outcomes are the same for every market."""
    common = next((title for stem, title in OUTCOME_MEASURES.items() if name.startswith(stem)), heading(name))
    return measure_titles(published).get(name, common)
