"""A drawing's PDF in one form: the library numbers and orders its objects anew on each call.

Objects are numbered as a walk from the trailer meets them and written in that order, dictionaries of named
objects sorted: equal drawings have equal bytes. Form of the file: ISO 32000-1, 7.5 (classic table of places).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_NAMED: Final = re.compile(rb"(?:^ +/[A-Za-z]+\d+ \d+ 0 R\n){2,}", re.MULTILINE)
_REFERENCE: Final = re.compile(rb"\b(\d+) 0 R\b")
_ENTRY: Final = re.compile(rb"^(\d{10}) (\d{5}) n", re.MULTILINE)
_OBJECT: Final = re.compile(rb"(\d+) 0 obj\n")
_STREAM: Final = b"\nstream\n"


def ordered_pdf(pdf: bytes) -> bytes:
    """Return the file with its objects in order; one of another form than the library's usual stays as it is."""
    table = pdf.rfind(b"\nxref\n") + 1
    trailer = pdf.find(b"trailer\n", table)
    if not table or trailer < 0:
        return pdf
    places = sorted(int(place) for place, _ in _ENTRY.findall(pdf[table:trailer]))
    objects = _objects(pdf, places, table)
    foot = pdf[trailer : pdf.rfind(b"startxref")]
    numbers = _walk(foot, objects)
    out = bytearray(pdf[: places[0]])
    entries = []
    for old, new in numbers.items():
        entries.append(b"%010d 00000 n\r\n" % len(out))
        head, stream = objects[old]
        out += b"%d 0 obj\n" % new + _renumbered(head, numbers) + stream
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f\r\n" % (len(entries) + 1) + b"".join(entries)
    foot = re.sub(rb"/Size \d+", b"/Size %d" % (len(entries) + 1), foot)
    return bytes(out) + _renumbered(foot, numbers) + b"startxref\n%d\n%%%%EOF" % start


def _objects(pdf: bytes, places: list[int], end: int) -> dict[int, tuple[bytes, bytes]]:
    """Return every object by its number, as the part that may refer to others and its stream."""
    found = {}
    for place, after in zip(places, [*places[1:], end], strict=True):
        header = _OBJECT.match(pdf, place)
        if header is None:
            raise ValueError(f"no object of a PDF at byte {place}")
        body = pdf[header.end() : after]
        cut = body.find(_STREAM)
        head, stream = (body, b"") if cut < 0 else (body[:cut], body[cut:])
        head = _NAMED.sub(lambda run: b"".join(sorted(run.group().splitlines(keepends=True))), head)
        found[int(header[1])] = (head, stream)
    return found


def _walk(foot: bytes, objects: Mapping[int, tuple[bytes, bytes]]) -> dict[int, int]:
    """Return each object's new number, by its old one: in the order in which a walk from the trailer meets them."""
    numbers: dict[int, int] = {}
    waiting = _references(foot)[::-1]
    while waiting:
        old = waiting.pop()
        if old not in numbers:
            numbers[old] = len(numbers) + 1
            waiting += _references(objects[old][0])[::-1]
    return numbers


def _references(text: bytes) -> list[int]:
    return [int(number) for number in _REFERENCE.findall(text)]


def _renumbered(text: bytes, numbers: Mapping[int, int]) -> bytes:
    return _REFERENCE.sub(lambda found: b"%d 0 R" % numbers[int(found[1])], text)
