"""How declared names are said: columns, accounts, series and measures of a market, in headings and legends."""

from __future__ import annotations

from typing import Final

from tournament.published import OutcomeColumn, Published, Series

OUTCOME_MEASURES: Final = {
    "herfindahl": "Concentration of {income} (Herfindahl)",
    "gini": "Inequality of {income} (Gini)",
    "score": "Spread of Scores",
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


def measure_title(published: Published, name: str) -> str:
    """Return the title of a measure of health: declared, or one of those made of every market's outcomes."""
    declared = next((measure.title for measure in published.measures if measure.name == name), None)
    if declared is not None:
        return declared
    stem, _, income = name.partition("_")
    common = OUTCOME_MEASURES.get(stem)
    return heading(name) if common is None else common.format(income=words(income))
