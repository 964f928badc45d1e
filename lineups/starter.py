"""The commented study that a newcomer starts from."""

from __future__ import annotations

from importlib.resources import files


def starter_study(study: str = "my-study", file: str = "FILE") -> str:
    """Return the text of a complete, commented study file of this id; its comments name the file."""
    text = files("lineups.studies").joinpath("starter.yaml").read_text(encoding="utf-8")
    return text.replace("study: my-study", f"study: {study}").replace(" FILE", f" {file}")
