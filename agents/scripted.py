"""Scripted: plays the decisions of a JSON file, window by window; how anyone replays or hand-writes a CEO.

`{"windows": [decision, ...]}`, each in the sealed form; windows beyond the list are empty decisions.
The file's content moves into the resolved parameters, so that an identity binds what is played and
not where it lay. A decision that the market refuses is recorded as refused: that is the market's work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, Field, model_validator

from agents.strategy import Parameters, bound_id
from tournament import seal
from tournament.errors import InputError
from tournament.ports import Desk, Policy
from tournament.records import Choice, Json, SeatContext

SHAPE: Final = '{"windows": [decision, ...]}, each decision an object'


class ScriptParameters(Parameters):
    """Either a file beside the study or the windows themselves; resolved, always the windows."""

    file: str | None = Field(default=None, min_length=1, description="JSON file, relative to the study file")
    windows: list[dict[str, Any]] | None = Field(default=None, description="decisions by window")

    @model_validator(mode="after")
    def one_source(self) -> ScriptParameters:
        if (self.file is None) == (self.windows is None):
            raise ValueError("give either file or windows")
        return self


@dataclass(frozen=True, slots=True)
class _Scripted:
    windows: list[dict[str, Any]]

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        if desk.window >= len(self.windows):
            return Choice(decision=desk.null())
        return Choice(decision=self.windows[desk.window])


@dataclass(frozen=True, slots=True)
class ScriptedKind:
    """Speaks every market's vocabulary: what it says is the script author's affair."""

    id: str = "scripted@1"
    summary: str = "plays a JSON file of sealed decisions, one a window, then empty decisions"
    markets: frozenset[str] = frozenset()
    model_free: bool = True
    parameters: type[BaseModel] = ScriptParameters
    traits: tuple[str, ...] = ("fixed",)

    def resolve(self, parameters: Mapping[str, Json], folder: Path) -> BaseModel:
        given = ScriptParameters.model_validate(dict(parameters))
        if given.file is None:
            return ScriptParameters(windows=seal.normal(given.windows))
        return ScriptParameters(windows=read_script(folder / given.file))

    def identity(self, parameters: BaseModel) -> str:
        return bound_id(self.id, parameters)

    def build(self, parameters: BaseModel, context: SeatContext) -> Policy:
        windows = ScriptParameters.model_validate(parameters).windows
        if windows is None:
            raise InputError("a script is built from resolved parameters, which hold its windows")
        return _Scripted(windows)


def read_script(path: Path) -> list[dict[str, Any]]:
    """Return the decisions of a script file; raises InputError naming file and place."""
    script = seal.read(path)
    if not isinstance(script, dict) or set(script) != {"windows"} or not isinstance(script["windows"], list):
        raise InputError(f"a script is {SHAPE}, and nothing else", file=path)
    for index, decision in enumerate(script["windows"]):
        if not isinstance(decision, dict):
            raise InputError(f"is no object; a script is {SHAPE}", file=path, field=f"windows[{index}]")
    return script["windows"]


SCRIPTED: Final = ScriptedKind()
