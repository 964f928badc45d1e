"""Models of the tables that the statistics read: documentation, and the check that they are what they say.

The files are written by the run; what stands in them beside the design is the market's to declare.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from pydantic import Field, create_model

from externalities.rows import Row, TableSpec
from tournament.published import OutcomeColumn, Published, Role
from tournament.rundir.outcomes import WINDOWS

ROLES: Final[tuple[Role, ...]] = ("score", "cash", "salvage")
ENDS: Final = {
    "windows_sealed": "windows sealed and applied",
    "windows_refused": "windows whose sealed decision was refused whole",
    "windows_exhausted": "windows that ended with the budget exhausted",
}


class _Design(Row):
    world: str = Field(description="`<lineup>.r<rotation>.s<seed>.n<repeat>`")
    lineup: str = Field(description="`ref`, or `<reference>-for-<replaced>`")
    reference: str = Field(description="reference policy; empty in the reference lineup")
    replaced_seat: str = Field(
        description="seat it took, several joined with `+`; empty in the reference lineup"
    )
    rotation: int = Field(description="cyclic seat shift of the lineup")
    seed: int = Field(description="economic seed")
    repeat: int = Field(description="repeat of the seed, from 1")
    seat: int = Field(description="seat, from 1")
    contestant: str = Field(description="contestant in the seat")


class _Hybrid(Row):
    world: str = Field(description="`<replacement world>.forward`, `.reverse` or `.noise`")
    order: str = Field(description="forward, reverse or noise")
    control: str = Field(description="reference-lineup world of the matched pair")
    treated: str = Field(description="replacement world of the matched pair")
    noise_repeat: int | None = Field(description="repeat whose rivals' seals are played; empty but for noise")
    seat: int = Field(description="seat, from 1")
    contestant: str = Field(description="contestant whose seals are played")
    source: str = Field(description="world in which they were sealed")


@cache
def outcomes_table(published: Published) -> TableSpec:
    """Return the table of outcomes: the design, the market's columns, and how windows ended."""
    before = [column for column in published.columns if not column.after_windows]
    behind = [column for column in published.columns if column.after_windows]
    fields: dict[str, Any] = {
        **{column.name: _field(column, column.sentence) for column in before},
        **{name: (int, Field(description=ENDS[name])) for name in WINDOWS},
        **{column.name: _field(column, column.sentence) for column in behind},
    }
    row: type[Row] = create_model(
        "OutcomeRow", __base__=_Design, __doc__="One seat of one finished world.", **fields
    )
    return TableSpec(file="outcomes.csv", row=row, description="One row a seat of every finished world.")


@cache
def hybrids_table(published: Published) -> TableSpec:
    """Return the table of hybrid worlds, with what the market has of Score, cash and salvage."""
    names = [published.role(role) for role in ROLES]
    columns = {column.name: column for column in published.columns}
    fields: dict[str, Any] = {
        **{
            name: _field(columns[name], f"in the hybrid world: {columns[name].sentence}")
            for name in names
            if name is not None
        },
        "windows": (int, Field(description="windows the seat was in business for")),
        "windows_refused": (int, Field(description="windows whose repeated decision was refused")),
        "windows_unsealed": (
            int,
            Field(description="windows for which the source holds no seal: nothing changed"),
        ),
    }
    row: type[Row] = create_model(
        "HybridRow", __base__=_Hybrid, __doc__="One seat of one hybrid world.", **fields
    )
    return TableSpec(
        file="hybrids/hybrids.csv",
        row=row,
        description="Scores of the hybrid worlds (after `tournament decompose`).",
    )


def _field(column: OutcomeColumn, sentence: str) -> tuple[Any, Any]:
    return (int | None if column.kind == "time" else int, Field(description=sentence))
