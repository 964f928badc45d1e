"""The commented study that a newcomer starts from."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Final

# What stands behind this mark seats a model: with the mark away, the file is a study with one.
MODEL_MARK: Final = "#:"


def starter_study(study: str = "my-study", file: str = "FILE") -> str:
    """Return the text of a complete, commented study file of this id; its comments name the file."""
    text = files("lineups.studies").joinpath("starter.yaml").read_text(encoding="utf-8")
    return text.replace("study: my-study", f"study: {study}").replace(" FILE", f" {file}")


def with_model(text: str) -> str:
    """Return the starter study with its lines about a language model in force."""
    return re.sub(rf"^{re.escape(MODEL_MARK)}", "", text, flags=re.MULTILINE)
