"""Tables as files: CSV for programs, Markdown for notes, booktabs LaTeX for papers, each with units and notes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Final

from reports.numbers import DASH, MINUS, Value
from reports.tables.model import Column, Grid

UNITS: Final = {"share": "%", "usd": "USD"}
_LATEX: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", MINUS: "$-$", DASH: "--", "→": r"$\to$", "\N{NO-BREAK SPACE}": "~",
    "±": r"$\pm$", "×": r"$\times$", "≥": r"$\geq$", "…": r"\dots{}",
}  # fmt: skip
_ESCAPED: Final = re.compile("|".join(re.escape(mark) for mark in _LATEX))
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def csv_text(table: Grid) -> str:
    """Return the table with one column a number, headings naming units; an interval gives two columns."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([name for column in table.columns for name in _csv_headings(column)])
    for row in table.rows:
        writer.writerow([_csv_cell(value) for datum in row for value in datum.plain])
    return stream.getvalue()


def _csv_cell(value: Value) -> Value:
    """Return a value on one line; empty where it is undefined."""
    if isinstance(value, str):
        return _CONTROL.sub(" ", value)
    return "" if value is None else value


def _csv_headings(column: Column) -> tuple[str, ...]:
    unit = column.unit or UNITS.get(column.kind, "")
    suffix = f" ({unit})" if unit else ""
    if isinstance(column.source, tuple):
        return (f"{column.label} low{suffix}", f"{column.label} high{suffix}")
    return (f"{column.label}{suffix}",)


def markdown(table: Grid) -> str:
    """Return the table as GitHub-flavoured Markdown with its caption, notes and sources."""
    lines = [f"### {escaped(table.title)}", ""]
    if table.caption.text:
        lines += [escaped(table.caption.text), ""]
    if table.missing:
        lines += [f"*{escaped(table.missing)}*", ""]
    else:
        lines += [
            f"| {' | '.join(escaped(column.heading) for column in table.columns)} |",
            f"| {' | '.join('---:' if column.numeric else '---' for column in table.columns)} |",
            *(f"| {' | '.join(escaped(datum.text) for datum in row)} |" for row in table.rows),
            "",
        ]
    lines += [f"{escaped(note)}  " for note in notes(table)]
    return "\n".join(lines).rstrip() + "\n"


def latex(table: Grid) -> str:
    """Return a booktabs table with caption, label and notes; needs `\\usepackage{booktabs}`."""
    spec = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [r"\begin{table}", r"\centering", r"\small"]
    caption = ". ".join(part.rstrip(".") for part in (table.title, table.caption.text) if part)
    lines += [
        rf"\caption{{{_tex(caption)}.}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{{spec}}}",
    ]
    lines += [r"\toprule", f"{_cells([column.heading for column in table.columns])} \\\\", r"\midrule"]
    for index, row in enumerate(table.rows):
        texts = [_tex(datum.text) for datum in row]
        if index in table.strong:
            texts = [rf"\textbf{{{text}}}" for text in texts]
        lines.append(f"{' & '.join(texts)} \\\\")
    if table.missing:
        lines.append(rf"\multicolumn{{{len(table.columns)}}}{{l}}{{\emph{{{_tex(table.missing)}}}}} \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    for note in notes(table):
        lines.append(rf"\par\footnotesize {_tex(note)}")
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def notes(table: Grid) -> Sequence[str]:
    """Return the notes and where the numbers stand."""
    source = f"Source: {', '.join(table.files)}." if table.files else ""
    return [note for note in (*table.notes, source) if note]


def _cells(texts: Sequence[str]) -> str:
    return " & ".join(_tex(text) for text in texts)


def _tex(text: str) -> str:
    return _ESCAPED.sub(lambda match: _LATEX[match.group()], _CONTROL.sub(" ", text))


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is: one line, no table bar, no markup."""
    flat = _CONTROL.sub(" ", text)
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", flat)
