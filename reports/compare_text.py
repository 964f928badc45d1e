"""A comparison as tables for people: aligned or Markdown, notes as letters, money in the unit that is said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from reports.compare import EXITS, Compared, ComparedRow, Comparison

SHOWN_DIRECTED: Final = 10
_EFFECTS: Final = {"total_cents": "total ext.", "mean_cents": "mean ext.", "market_cents": "market"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A titled table; the first `left` columns are texts, the last holds letters of notes."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int


@dataclass(slots=True)
class Letters:
    """Notes by letter, in order of first use."""

    known: dict[str, str] = field(default_factory=dict)

    def of(self, row: ComparedRow) -> str:
        texts = [text for text in (row.why_not, row.note) if text]
        return " ".join(self.known.setdefault(text, _letter(len(self.known))) for text in texts)


def blocks(comparison: Comparison, letters: Letters, *, everything: bool) -> list[Block]:
    """Return the tables of a comparison; directed effects in full only where `everything` is asked for."""
    found: list[Block] = []
    for reference in dict.fromkeys(row.reference for row in comparison.rows):
        rows = [row for row in comparison.rows if row.reference == reference]
        found.append(_operating(comparison, reference, rows, letters))
        effects = [row for row in rows if row.table in ("private_summary", "market_summary")]
        if effects:
            found.append(_effects(comparison, reference, effects, letters))
        directed = [row for row in rows if row.table == "directed_summary"]
        if directed:
            found.append(_directed(comparison, reference, directed, letters, everything))
    return found


def notes(comparison: Comparison, letters: Letters) -> list[str]:
    """Return what stands below the tables."""
    lines = [f"{letter}: {text}" for text, letter in letters.known.items()]
    pairs = {
        (row.reference, row.contestant, row.rotation, row.seed, row.repeat)
        for row in comparison.rows
        if row.seed is not None and row.difference
    }
    if pairs:
        lines.append(f"{len(pairs)} matched pairs on the same draws stand side by side in --format csv")
    return [*lines, *comparison.notes]


def aside(compared: Compared) -> list[str]:
    """Return what stands alone, and why."""
    return [f"not side by side: {why}" for why in compared.alone]


def markdown(block: Block) -> str:
    """Return a block as a Markdown table under its title."""
    marks = [
        "---" if at < block.left or at == len(block.head) - 1 else "---:" for at in range(len(block.head))
    ]
    lines = [block.head, marks, *block.rows]
    return f"**{block.title}**\n\n" + "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )


def _operating(
    comparison: Comparison, reference: str, rows: Iterable[ComparedRow], letters: Letters
) -> Block:
    by_contestant: dict[tuple[str, str], dict[str, ComparedRow]] = {}
    for row in rows:
        if row.table == "operating":
            by_contestant.setdefault((row.contestant, row.run_contestant), {})[row.quantity] = row
    leaves = any(EXITS in columns for columns in by_contestant.values())
    lines = [
        [
            _both(score.contestant, score.run_contestant),
            _shown(comparison, score.base_value),
            _shown(comparison, score.run_value),
            _signed(comparison, score.difference),
            _both(*_values(columns["rank"])),
            *([_both(*(_percent(value) for value in _values(columns[EXITS])))] if leaves else []),
            _both(score.base_n, score.run_n),
            letters.of(score),
        ]
        for columns in by_contestant.values()
        for score in [columns["mean_score_cents"]]
    ]
    return Block(
        title=f"Operating performance, reference policy {reference}; Mean Score in {comparison.money_unit}",
        head=(
            "contestant",
            comparison.base,
            comparison.run,
            "difference",
            "rank",
            *(["left early"] if leaves else []),
            "n",
            "note",
        ),
        rows=lines,
        left=1,
    )


def _effects(comparison: Comparison, reference: str, rows: Iterable[ComparedRow], letters: Letters) -> Block:
    return Block(
        title=f"Private returns and externalities against {reference}; means in {comparison.money_unit}",
        head=(
            "entrant",
            "effect",
            comparison.base,
            "interval",
            comparison.run,
            "interval",
            "difference",
            "n",
            "note",
        ),
        rows=[
            [
                _both(row.contestant, row.run_contestant),
                _effect(row),
                _shown(comparison, row.base_value),
                _interval(comparison, row.base_low, row.base_high),
                _shown(comparison, row.run_value),
                _interval(comparison, row.run_low, row.run_high),
                _signed(comparison, row.difference),
                _both(row.base_n, row.run_n),
                letters.of(row),
            ]
            for row in rows
        ],
        left=2,
    )


def _effect(row: ComparedRow) -> str:
    if row.table == "private_summary":
        return "private"
    return _EFFECTS[row.quantity]


def _directed(
    comparison: Comparison,
    reference: str,
    rows: Sequence[ComparedRow],
    letters: Letters,
    everything: bool,
) -> Block:
    shown = rows if everything else sorted(rows, key=_size, reverse=True)[:SHOWN_DIRECTED]
    cut = f"; {len(shown)} of {len(rows)}, greatest differences first" if len(shown) < len(rows) else ""
    return Block(
        title=f"Directed externalities against {reference}; means in {comparison.money_unit}{cut}",
        head=("entrant", "on", comparison.base, comparison.run, "difference", "n", "note"),
        rows=[
            [
                _both(row.contestant, row.run_contestant),
                _both(row.rival, row.run_rival),
                _shown(comparison, row.base_value),
                _shown(comparison, row.run_value),
                _signed(comparison, row.difference),
                _both(row.base_n, row.run_n),
                letters.of(row),
            ]
            for row in shown
        ],
        left=2,
    )


def _size(row: ComparedRow) -> Decimal:
    return abs(Decimal(row.difference)) if row.difference else Decimal(-1)


def _letter(index: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return letters[index] if index < len(letters) else f"{letters[index % 26]}{index // 26}"


def _scaled(comparison: Comparison, cents: str) -> Decimal:
    return Decimal(cents) / (100_000 if comparison.money_unit.startswith("thousand ") else 100)


def _shown(comparison: Comparison, cents: str) -> str:
    return f"{_scaled(comparison, cents):,.2f}" if cents else "-"


def _signed(comparison: Comparison, cents: str) -> str:
    if not cents:
        return "-"
    amount = _scaled(comparison, cents)
    return f"{amount:+,.2f}" if amount else "0.00"


def _interval(comparison: Comparison, low: str, high: str) -> str:
    return f"[{_shown(comparison, low)}, {_shown(comparison, high)}]" if low and high else "-"


def _values(row: ComparedRow) -> tuple[str, str]:
    return row.base_value, row.run_value


def _both(base: str, run: str) -> str:
    return base if base == run else f"{base} / {run}"


def _percent(share: str) -> str:
    return f"{Decimal(share) * 100:.1f}%" if share else "-"
