"""A study as others may read it: the person's own file where nothing in it is private, else its public values.

What is published of a study is decided here once, for the archive of a run and for its report.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from tournament.records import Json
from tournament.study.yaml import Document, yaml_text

REWRITTEN_STUDY: Final = (
    "# Written from the values of the study file, without its comments and what is private.\n"
)


class StudyRedaction(Protocol):
    """What the rooms that speak to models know to be private of a study."""

    def study(self, study: Mapping[str, Json]) -> Mapping[str, Json]:
        """Return a study's values without what is private."""
        ...

    def is_public(self, text: str) -> bool:
        """Tell whether a text that a person wrote holds no private word and names no address."""
        ...


def rewritten_study(document: Document, redaction: StudyRedaction) -> str | None:
    """Return a study file's public values as YAML, or None where the file may be shown as it is."""
    shown = redaction.study(document.value)
    if shown == document.value and redaction.is_public(document.text):
        return None
    return REWRITTEN_STUDY + yaml_text(shown)


def listed_routes(study: Json) -> dict[str, Mapping[str, Json]]:
    """Return the route entries that stand in a study file itself, under names that can be told."""
    listed = study["routes"] if isinstance(study, Mapping) and "routes" in study else None
    entries = listed.values() if isinstance(listed, Mapping) else listed if isinstance(listed, list) else ()
    return {
        f"{number} of the study file": entry
        for number, entry in enumerate(entries, start=1)
        if isinstance(entry, Mapping)
    }
