"""Sentences with numbers, each bound to the cells it was read from: what `claims.json` lists.

A sentence is a template whose places are filled by cells, never by literals, so that no number can
stand in a report that no file holds.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from reports.numbers import Value
from reports.sources import Cell
from tournament.errors import DamageError
from tournament.records import Json

Format = Callable[[float], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number as a sentence shows it."""

    text: str
    cell: Cell

    def place(self) -> str:
        """Return where the number stands, for a reader who asks."""
        row = ", ".join(f"{name} {value}" for name, value in self.cell.row.items() if value)
        return ": ".join(part for part in (self.cell.file, row, self.cell.column) if part)

    def record(self) -> Mapping[str, Json]:
        cell = self.cell
        return {
            "text": self.text,
            "value": cell.value,
            "file": cell.file,
            "row": dict(cell.row),
            "column": cell.column,
        }


Part = Figure | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence as plain text and as HTML; a template renders it as HTML."""

    text: str
    html: Markup

    def __html__(self) -> str:
        return str(self.html)


NOTHING = Sentence(text="", html=Markup(""))


@dataclass(slots=True, kw_only=True)
class Claims:
    """The sentences of one page, in order."""

    page: str
    records: list[Mapping[str, Json]] = field(default_factory=list)

    def say(self, template: str, **parts: Part) -> Sentence:
        """Return the sentence and keep it; `{name}` in the template is the part of that name.

        A template holds no digit: numbers come as figures.
        """
        if any(character.isdigit() for character in template):
            raise ValueError(f"a number is typed into {template!r}")
        pieces = list(_pieces(template, parts))
        figures = [piece for piece in pieces if isinstance(piece, Figure)]
        sentence = "".join(piece.text if isinstance(piece, Figure) else piece for piece in pieces)
        html = Markup("").join(_html(piece) for piece in pieces)
        if not figures:
            return Sentence(text=sentence, html=html)
        name = f"c{len(self.records) + 1}"
        self.records.append(
            {
                "id": name,
                "page": self.page,
                "sentence": sentence,
                "numbers": [figure.record() for figure in figures],
            }
        )
        marked = Markup('<span class="claim" data-claim="{}">{}</span>').format(name, html)
        return Sentence(text=sentence, html=marked)


def figure(cell: Cell, shown: Format) -> Figure:
    """Return a cell as a number in a sentence; raises DamageError where the file has none."""
    value: Value = cell.value
    if value is None or isinstance(value, str):
        raise DamageError(f"{cell.file}: {cell.column} of {dict(cell.row)} is no number")
    return Figure(text=shown(float(value)), cell=cell)


def text_figure(cell: Cell) -> Figure:
    """Return a cell whose text is shown as it is: a list of seeds, a note."""
    value = cell.value
    text = ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)
    return Figure(text=text, cell=cell)


def _pieces(template: str, parts: Mapping[str, Part]) -> list[Part]:
    found: list[Part] = []
    for literal, name, _, _ in string.Formatter().parse(template):
        if literal:
            found.append(literal)
        if name is not None:
            found.append(parts[name])
    return found


def _html(piece: Part) -> Markup:
    if isinstance(piece, Figure):
        return Markup('<span class="num" title="{}">{}</span>').format(piece.place(), piece.text)
    return escape(piece)
