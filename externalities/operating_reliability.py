"""reliability.csv: how the windows of each contestant ended.

Counts come from outcomes.csv; what a model did beside (corrections, usage that a provider did not
report, replies, tool calls) is added from `WORLD/usage.parquet` where a run has such tables, and is
empty, never zero, where it has not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import Field

from externalities.outcomes import PlayedWorld
from externalities.rows import Row, TableSpec

if TYPE_CHECKING:
    import pandas as pd

USAGE_COLUMNS = (
    "replies",
    "tool_calls",
    "corrections",
    "refusals",
    "calls_as_text",
    "unknown_usage_replies",
)
ACTIVE: Final = "active_windows"
SUSTAINED_WINDOWS: Final = 60
ENDS: Final = ("sealed", "refused", "exhausted")


class ReliabilityRow(Row):
    """One contestant over all its worlds, or over those of one reference policy."""

    reference: str = Field(description="lineups counted: `ref`, a reference policy's, or `all`")
    contestant: str = Field(description="contestant id")
    worlds: int = Field(description="trajectories: seats held in finished worlds")
    windows: int = Field(description="decision windows it had while in business")
    sealed: int = Field(description="windows sealed and applied")
    refused: int = Field(description="windows whose sealed decision was refused whole")
    exhausted: int = Field(description="windows that ended with the budget exhausted")
    seal_rate: float | None = Field(description="sealed / windows")
    refusal_rate: float | None = Field(description="refused / windows")
    exhaustion_rate: float | None = Field(description="exhausted / windows")
    replies: int | None = Field(description="accounting-valid model replies; empty without usage tables")
    tool_calls: int | None = Field(description="tool calls; empty without usage tables")
    corrections: int | None = Field(description="errors returned for correction; empty without usage tables")
    refusals: int | None = Field(
        description="replies in which the model or its filter refused; empty without usage tables"
    )
    calls_as_text: int | None = Field(
        description="replies with a tool call written as text; empty without usage tables"
    )
    unknown_usage_replies: int | None = Field(
        description="replies whose usage the provider did not report; empty without usage tables"
    )
    active_windows: int | None = Field(
        description="windows with a tool call beside the one that sealed; empty without usage tables"
    )
    replies_per_window: float | None = Field(description="replies / windows")
    tool_calls_per_window: float | None = Field(description="tool_calls / windows")
    correction_rate: float | None = Field(description="corrections / replies")
    model_refusal_rate: float | None = Field(description="refusals / replies")
    call_as_text_rate: float | None = Field(description="calls_as_text / replies")
    unknown_usage_rate: float | None = Field(description="unknown_usage_replies / replies")
    active_window_rate: float | None = Field(description="active_windows / windows")
    sustained_window_rate: float | None = Field(
        description="least share of active windows in 60 windows in a row (SWR), mean over worlds; empty without"
        " usage tables or where a world gave it fewer windows"
    )


RELIABILITY = TableSpec(
    file="reliability.csv", row=ReliabilityRow, description="Sealed, refused and exhausted windows."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatUsage:
    """What one seat used in one world: counts by the names of `USAGE_COLUMNS`.

    `active` tells of each window that the seat had whether a tool was called in it beside the sealing call.
    """

    world: str
    seat: int
    counts: Mapping[str, int]
    active: tuple[bool, ...] | None = None

    @property
    def sustained(self) -> float | None:
        """SWR: the least share of active windows in 60 in a row (MerchantBench, Table 1); None of fewer windows."""
        if self.active is None or len(self.active) < SUSTAINED_WINDOWS:
            return None
        runs = range(len(self.active) - SUSTAINED_WINDOWS + 1)
        return min(sum(self.active[at : at + SUSTAINED_WINDOWS]) for at in runs) / SUSTAINED_WINDOWS


def read_usage(run: Path, worlds: Sequence[PlayedWorld]) -> tuple[SeatUsage, ...]:
    """Return the totals by seat of every `usage.parquet` that the run has, in the order of worlds."""
    found: list[SeatUsage] = []
    for world in worlds:
        path = run / "worlds" / world.world / "usage.parquet"
        if path.exists():
            found += _usage(path, world)
    return tuple(found)


def _usage(path: Path, world: PlayedWorld) -> list[SeatUsage]:
    import pandas as pd  # noqa: PLC0415

    table = pd.read_parquet(path)
    names = [name for name in USAGE_COLUMNS if name in table.columns]
    totals = table.groupby("seat")[names].sum()
    active = _active(table, world)
    found = []
    for number in totals.index:
        seat = int(str(number))
        counts = {name: int(totals.loc[number, name]) for name in names}
        own = active.get(seat)
        if own is not None:
            counts[ACTIVE] = sum(own)
        found.append(SeatUsage(world=world.world, seat=seat, counts=counts, active=own))
    return found


def _active(table: pd.DataFrame, world: PlayedWorld) -> dict[int, tuple[bool, ...]]:
    """Return by seat, window by window, whether a tool was called beside the sealing call; empty if not told."""
    if not {"tool_calls", "sealed"} <= {*table.columns}:
        return {}
    other = table["tool_calls"] > table["sealed"].astype(int)
    busy: dict[int, set[int]] = {int(seat): set() for seat in table["seat"]}
    for seat, window in zip(table.loc[other, "seat"], table.loc[other, "window"], strict=True):
        busy[int(seat)].add(int(window))
    return {
        seat: tuple(window in windows for window in range(_windows(world, seat - 1)))
        for seat, windows in busy.items()
    }


def _windows(world: PlayedWorld, seat: int) -> int:
    return sum(int(world.metrics[f"windows_{state}"][seat]) for state in ENDS)


def reliability_rows(
    worlds: Sequence[PlayedWorld], usage: Sequence[SeatUsage], contestants: Sequence[str]
) -> list[Row]:
    """Return one row a contestant for each kind of lineup and for all together (CEO Arena, section 4.1)."""
    used = {(item.world, item.seat): item for item in usage}
    groups: dict[tuple[str, str], list[tuple[PlayedWorld, int]]] = {}
    labels = [world.reference or "ref" for world in worlds]
    for label in (*dict.fromkeys(labels), "all"):
        for name in contestants:
            for world, own in zip(worlds, labels, strict=True):
                if label in ("all", own):
                    for seat, seated in enumerate(world.seats):
                        if seated == name:
                            groups.setdefault((label, name), []).append((world, seat))
    return [_row(label, name, places, used) for (label, name), places in groups.items()]


def _row(
    label: str,
    name: str,
    places: Sequence[tuple[PlayedWorld, int]],
    used: Mapping[tuple[str, int], SeatUsage],
) -> ReliabilityRow:
    ends = {
        state: sum(int(world.metrics[f"windows_{state}"][seat]) for world, seat in places) for state in ENDS
    }
    windows = sum(ends.values())
    seats = [used.get((world.world, seat + 1)) for world, seat in places]
    counts = _counts([None if seat is None else seat.counts for seat in seats])
    replies = counts["replies"]
    return ReliabilityRow(
        reference=label,
        contestant=name,
        worlds=len(places),
        windows=windows,
        sealed=ends["sealed"],
        refused=ends["refused"],
        exhausted=ends["exhausted"],
        seal_rate=_share(ends["sealed"], windows),
        refusal_rate=_share(ends["refused"], windows),
        exhaustion_rate=_share(ends["exhausted"], windows),
        **counts,
        replies_per_window=_share(replies, windows),
        tool_calls_per_window=_share(counts["tool_calls"], windows),
        correction_rate=_share(counts["corrections"], replies),
        model_refusal_rate=_share(counts["refusals"], replies),
        call_as_text_rate=_share(counts["calls_as_text"], replies),
        unknown_usage_rate=_share(counts["unknown_usage_replies"], replies),
        active_window_rate=_share(counts[ACTIVE], windows),
        sustained_window_rate=_mean([None if seat is None else seat.sustained for seat in seats]),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean, None where any is not known."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _share(part: int | None, whole: int | None) -> float | None:
    """Return part / whole, None where either is not known or there is no whole."""
    return part / whole if part is not None and whole else None


def _counts(seats: Sequence[Mapping[str, int] | None]) -> dict[str, int | None]:
    """Return totals by column, None for one that any seat lacks: part of a count is no count."""
    return {
        name: sum(counts[name] for counts in seats if counts is not None)
        if seats and all(counts is not None and name in counts for counts in seats)
        else None
        for name in (*USAGE_COLUMNS, ACTIVE)
    }
