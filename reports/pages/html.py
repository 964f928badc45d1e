"""Templates and what every page carries: styles, the script, both themes, and a policy that forbids the rest.

A page is one file. Its content security policy lets run the one script that it was built with and
nothing else, and lets it fetch nothing: whatever a model wrote stays text twice over.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import jinja2
from markupsafe import Markup

from reports import numbers, palette
from reports.pages.overview import STATES
from reports.tables.text import notes
from reports.view import contestant_page, slug, world_page
from tournament.storage import disk_errors, temporary_beside

CHUNK: Final = 64
USAGE: Final = (
    ("replies", "replies"),
    ("tool_calls", "tool calls"),
    ("prompt_tokens", "prompt tokens"),
    ("generated_tokens", "generated tokens"),
    ("estimated_tokens", "of them estimated"),
    ("corrections", "corrections"),
    ("unknown_usage_replies", "replies of unknown usage"),
    ("failed_attempts", "failed attempts"),
)


@lru_cache(maxsize=1)
def environment() -> jinja2.Environment:
    """Return the templates' environment: everything is escaped unless it was marked as markup by us."""
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("reports", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = _styles(), _asset("report.js")
    found.globals.update(
        style=Markup(style),
        script=Markup(script),
        policy=_policy(script),
        slug=slug,
        world_page=world_page,
        contestant_page=contestant_page,
        table_notes=notes,
        states=STATES,
        usage_labels=USAGE,
    )
    found.filters.update(
        count=numbers.count,
        usd=numbers.usd,
    )
    return found


def write_page(path: Path, template: str, **content: Any) -> None:
    """Render a page in pieces, so that no more than a piece is in memory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pieces = environment().get_template(template).generate(**content)
    temporary = temporary_beside(path)
    with disk_errors(path):
        try:
            with temporary.open("w", encoding="utf-8", newline="\n", errors="backslashreplace") as stream:
                stream.writelines(_joined(pieces))
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    """Join small pieces, which a template yields by the thousand."""
    held: list[str] = []
    for piece in pieces:
        held.append(piece)
        if len(held) == CHUNK:
            yield "".join(held)
            held = []
    yield "".join(held)


def _styles() -> str:
    light, dark = palette.css_variables(palette.LIGHT), palette.css_variables(palette.DARK)
    themes = (
        f":root{{{light}color-scheme:light}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}color-scheme:dark}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{dark}color-scheme:dark}}}}\n"
    )
    return themes + _asset("report.css")


def _asset(name: str) -> str:
    return (files("reports") / "assets" / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
        f" script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
