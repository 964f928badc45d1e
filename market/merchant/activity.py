"""Long-horizon activity of stores, from a run's published tables: which windows were active, and SWR.

After the MerchantBench paper (Table 1, Figure 5) and the contract, section 15. A window of a model's seat is
active with at least one tool call beside the one that sealed it. A policy without a model reads its desk at every
window or never, and leaves no trace of that: its windows are all active if it ever decided anything, else none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from market.merchant.parameters import WINDOWS_A_DAY
from tournament.report_parts import RunTables

ROLLING_WINDOWS: Final = 30 * WINDOWS_A_DAY
_NOTHING: Final = ("{}", "null", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """One store's windows, in order: whether each was active, and its tool calls where a model decided."""

    windows: NDArray[np.int64]
    active: NDArray[np.bool_]
    calls: NDArray[np.int64] | None

    @property
    def sustained(self) -> float | None:
        """SWR: the least share of active windows in 60 windows (30 days) in a row; None of fewer windows."""
        if len(self.active) < ROLLING_WINDOWS:
            return None
        sums = np.convolve(self.active, np.ones(ROLLING_WINDOWS, dtype=np.int64), mode="valid")
        return float(sums.min()) / ROLLING_WINDOWS

    @property
    def tool_calls(self) -> int | None:
        return None if self.calls is None else int(self.calls.sum())


def activities(run: RunTables, world: str) -> Mapping[int, Activity]:
    """Return the activity of each seat of a finished world; empty where it keeps no table of windows."""
    table = run.table(world, "windows")
    if table is None:
        return {}
    seats = np.array(table["seat"], dtype=np.int64)
    windows = np.array(table["window"], dtype=np.int64)
    decided = np.array([text not in _NOTHING for text in table["decision_json"]], dtype=bool)
    calls = _calls(run, world)
    return {
        seat: _activity(windows[seats == seat], decided[seats == seat], calls.get(seat))
        for seat in np.unique(seats).tolist()
    }


def _activity(
    windows: NDArray[np.int64], decided: NDArray[np.bool_], calls: Mapping[int, tuple[int, int]] | None
) -> Activity:
    if calls is None:
        return Activity(windows=windows, active=np.full(len(windows), bool(decided.any())), calls=None)
    asked = [calls.get(window, (0, 0)) for window in windows.tolist()]
    return Activity(
        windows=windows,
        active=np.array([other > 0 for _, other in asked], dtype=bool),
        calls=np.array([count for count, _ in asked], dtype=np.int64),
    )


def _calls(run: RunTables, world: str) -> Mapping[int, Mapping[int, tuple[int, int]]]:
    """Return by model's seat and window: tool calls, and how many of them did not seal the window."""
    usage = run.table(world, "usage")
    found: dict[int, dict[int, tuple[int, int]]] = {}
    if usage is None:
        return found
    rows = zip(usage["seat"], usage["window"], usage["tool_calls"], usage["sealed"], strict=True)
    for seat, window, count, sealed in rows:
        found.setdefault(seat, {})[window] = (count, count - sealed)
    return found
