"""What is wrong with a mock's entry: who plays it is loaded as a run would load it, and asked nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from agents.routes.entry import MockSettings, RouteEntry
from agents.routes.mock.backends import SCRIPT, speaker_of
from agents.routes.mock.faults import parse_faults
from agents.routes.mock.script import ScriptedCall, ScriptedReply, When
from tournament.errors import InputError
from tournament.field_errors import fault_words

_INNER: Final[dict[int | str, type[BaseModel]]] = {"when": When, "calls": ScriptedCall}


def mock_faults(entry: RouteEntry, folder: Path | None) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield places in a mock's entry and what is wrong there; scripts lie in the folder, unread without one."""
    settings = entry.mock or MockSettings()
    try:
        parse_faults(settings.faults)
    except InputError as fault:
        yield ("mock", "faults"), str(fault)
    if settings.script is None:
        yield from _player_faults(entry.model.partition("/")[2], settings, None)
    elif folder is not None:
        yield from _player_faults(entry.model.partition("/")[2], settings, folder / settings.script)


def _player_faults(
    name: str, settings: MockSettings, script: Path | None
) -> Iterator[tuple[tuple[str, ...], str]]:
    try:
        speaker_of(name, params=settings.params, script=script)
    except InputError as fault:
        invalid = fault.__context__
        if not isinstance(invalid, ValidationError):
            yield ("model",) if script is None else ("mock", "script"), str(fault)
        elif name == SCRIPT or script is not None:
            yield ("mock", "script"), _worded(fault, invalid)
        else:
            yield ("mock", "params"), _worded(fault, invalid)


def _worded(fault: InputError, invalid: ValidationError) -> str:
    """Return a loader's refusal with what is allowed, as in a study, in place of pydantic's words."""
    first = invalid.errors(include_url=False)[0]
    told = str(fault).removesuffix(first["msg"])
    if first["type"] != "extra_forbidden":
        return told + fault_words(first, first["input"])
    if invalid.title.startswith("list["):
        model = next((_INNER[part] for part in first["loc"][:-1] if part in _INNER), ScriptedReply)
        return f"{told}unknown key; known: {', '.join(model.model_fields)}"
    return f"{told}unknown parameter; `tournament policies POLICY` lists them"
