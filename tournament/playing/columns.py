"""The tables of a finished world by file name, as columns: what its run publishes, and verification derives anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tournament import registry
from tournament.journal.rows import to_text
from tournament.ports import Accountable
from tournament.records import Json, Measured, Record, Seal, WorldTables
from tournament.rundir.parquet import Columns

USAGE = "usage.parquet"


def world_columns(tables: WorldTables, seals: Sequence[Seal]) -> dict[str, Columns]:
    """Return every table but the one of usage, which needs a policy's own account of its records."""
    found: dict[str, Columns | None] = {
        "daily.parquet": tables.daily,
        "windows.parquet": windows_columns(seals),
        "market.parquet": tables.market or None,
        "measures.parquet": measures_columns(tables.measures),
        "series.parquet": tables.series or None,
        **{f"{name}.parquet": columns for name, columns in tables.extra.items()},
    }
    return {name: columns for name, columns in found.items() if columns is not None}


def windows_columns(seals: Sequence[Seal]) -> Columns:
    """Return a row a seal, in order of window and seat."""
    return {
        "window": np.array([item.window for item in seals], dtype=np.int32),
        "seat": np.array([item.seat for item in seals], dtype=np.int32),
        "state": [item.state for item in seals],
        "decision_json": [to_text(item.decision) for item in seals],
        "reason": [item.reason for item in seals],
        "rationale": [item.rationale for item in seals],
    }


def measures_columns(measured: Sequence[Measured]) -> Columns | None:
    if not measured:
        return None
    return {
        "measure": [item.name for item in measured],
        "group": [item.group for item in measured],
        "value": [item.value for item in measured],
        "note": [item.note for item in measured],
    }


def usage_rows(
    policy: str, parameters: Any, keys: Mapping[str, Json], records: Mapping[int, Sequence[Record]]
) -> list[Mapping[str, Json]]:
    """Return a row a window of one seat whose policy accounts for itself; none for any other.

    `keys` names world, seat and contestant, `records` holds the seat's records by window.
    """
    kind = registry.policy_kind(policy)
    if not isinstance(kind, Accountable):
        return []
    return [
        {**keys, "window": window, **kind.usage(parameters, found)}
        for window, found in records.items()
        if found
    ]


def usage_columns(rows: Sequence[Mapping[str, Json]]) -> Columns | None:
    """Return the rows as columns, or None without any."""
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else None
