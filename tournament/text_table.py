"""Plain-text tables: rows of cells as lines of aligned columns, for terminals, files and reports alike."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


def aligned(rows: Iterable[Sequence[str]], *, right: Collection[int] = ()) -> list[str]:
    """Return a line a row, columns two spaces apart; those listed in `right` (from 0) stand to the right.

    The heading is a row like the others, and no line ends with spaces.
    """
    table = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
