"""The commented study that a newcomer starts from."""

from __future__ import annotations

from importlib.resources import files


def starter_study() -> str:
    """Return the text of a complete, commented study file."""
    return files("lineups.studies").joinpath("starter.yaml").read_text(encoding="utf-8")
