"""Who plays under a mock's name: the one place that knows both scripts and strategies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from agents.routes.mock.model import MockBackend
from tournament.records import Json

SCRIPT: Final = "script"


def load_backend(name: str, *, params: Mapping[str, Json], script: Path | None) -> MockBackend:
    """Return who plays under a mock's name: the script, or a strategy policy.

    Raises InputError for a name that is neither.
    """
    if name == SCRIPT or script is not None:
        from agents.routes.mock.script import read_script

        return read_script(script)
    from agents.routes.mock.policy import policy_backend

    return policy_backend(name, params)
