"""What is wrong with a mock's entry: who plays it is loaded as a run would load it, and no reply is made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from agents.routes.entry import MockSettings, RouteEntry
from agents.routes.mock.backends import SCRIPT, load_backend
from agents.routes.mock.faults import parse_faults
from agents.routes.mock.script import ScriptedCall, ScriptedReply, When
from agents.routes.problem import Problem, problem
from tournament.errors import InputError
from tournament.field_errors import fault_words

_INNER: Final[dict[int | str, type[BaseModel]]] = {"when": When, "calls": ScriptedCall}


def mock_problems(entry: RouteEntry, folder: Path | None) -> Iterator[Problem]:
    """Yield what is wrong in a mock's entry; scripts lie in the folder, unread without one."""
    settings = entry.mock or MockSettings()
    try:
        parse_faults(settings.faults)
    except InputError as fault:
        yield problem(entry, str(fault), "mock", "faults")
    if settings.script is not None and folder is None:
        return
    name = entry.model.partition("/")[2]
    script = folder / settings.script if folder is not None and settings.script is not None else None
    try:
        load_backend(name, params=settings.params, script=script)
    except InputError as fault:
        invalid = fault.__context__
        in_script = name == SCRIPT or script is not None
        if isinstance(invalid, ValidationError):
            yield problem(entry, _worded(fault, invalid), "mock", "script" if in_script else "params")
        elif script is None:
            yield problem(entry, str(fault), "model")
        else:
            yield problem(entry, str(fault), "mock", "script")


def _worded(fault: InputError, invalid: ValidationError) -> str:
    """Return a loader's refusal with what is allowed, as in a study, in place of pydantic's words."""
    first = invalid.errors(include_url=False)[0]
    given = str(fault).removesuffix(first["msg"])
    if first["type"] != "extra_forbidden":
        return given + fault_words(first, first["input"])
    if invalid.title.startswith("list["):
        model = next((_INNER[part] for part in first["loc"][:-1] if part in _INNER), ScriptedReply)
        return f"{given}unknown key; known: {', '.join(model.model_fields)}"
    return f"{given}unknown parameter; `tournament policies POLICY` lists them"
