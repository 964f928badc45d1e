"""A figure's PDF has one form: equal drawings give equal bytes, and every object is where the table says."""

from __future__ import annotations

import re

import vl_convert

from reports.charts.drawing import files
from reports.charts.pdf import ordered_pdf

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="60" viewBox="0 0 200 60">'
    '<text x="5" y="20" font-family="Liberation Sans">plain</text>'
    '<text x="5" y="40" font-family="Liberation Sans" font-weight="bold">bold</text>'
    '<text x="90" y="20" font-family="Liberation Mono">mono</text>'
    '<g opacity="0.5"><rect width="9" height="9"/></g><g opacity="0.4"><rect width="8" height="9"/></g></svg>'
)


def test_a_drawing_has_the_same_bytes_in_every_format_on_each_call() -> None:
    first = files(SVG)
    assert set(first) == {"svg", "png", "pdf"}
    for _ in range(12):
        assert files(SVG) == first


def test_every_object_is_where_the_table_of_places_says() -> None:
    pdf = ordered_pdf(vl_convert.svg_to_pdf(SVG))
    start = int(re.findall(rb"startxref\n(\d+)\n%%EOF", pdf)[-1])
    assert pdf[start:].startswith(b"xref\n0 ")
    places = [int(place) for place in re.findall(rb"^(\d{10}) 00000 n\r$", pdf[start:], re.MULTILINE)]
    for number, place in enumerate(places, start=1):
        assert pdf[place:].startswith(b"%d 0 obj\n" % number)
    assert f"/Size {len(places) + 1}".encode() in pdf[start:]
    assert b"/Root 1 0 R" in pdf[start:]


def test_no_stream_of_the_library_is_changed() -> None:
    made = vl_convert.svg_to_pdf(SVG)
    streams = [
        sorted(re.findall(rb"stream\n(.*?)\nendstream", pdf, re.DOTALL)) for pdf in (made, ordered_pdf(made))
    ]
    assert streams[0] == streams[1]


def test_a_file_of_another_form_stays_as_it_is() -> None:
    assert ordered_pdf(b"%PDF-2.0\nno table\n") == b"%PDF-2.0\nno table\n"
