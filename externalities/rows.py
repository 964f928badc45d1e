"""Row models of the tables: the single source of columns, formats and `docs/outputs.md`.

A table is a frozen pydantic model whose fields carry their descriptions; text is made here alone, so
that equal numbers give equal bytes. Undefined values are empty cells and a `note` gives the reason.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

FLOAT_DIGITS = 8


class Row(BaseModel):
    """A line of a table: fields in column order, each with its description."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpec:
    """A file of the run's `externalities` folder: its name, row model and one line of description."""

    file: str
    row: type[Row]
    description: str


def csv_text(row: type[Row], rows: Iterable[Row]) -> str:
    """Return the table as CSV with a header and Unix line ends."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    columns = tuple(row.model_fields)
    writer.writerow(columns)
    for item in rows:
        writer.writerow([cell(column, getattr(item, column)) for column in columns])
    return stream.getvalue()


def cell(column: str, value: Any) -> str:
    """Return one cell: cents as integers, or with four decimals when they are a mean."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{column}: {value} is not a number to publish")
        text = f"{value:.4f}" if column.endswith("_cents") else f"{value:.{FLOAT_DIGITS}g}"
        return text.removeprefix("-") if not text.strip("-0.") else text
    return str(value)


def optional(value: Any) -> float | None:
    """Return the number, or None where it is undefined (NaN or infinite)."""
    number = float(value)
    return number if math.isfinite(number) else None
