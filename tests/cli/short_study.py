"""A study of the installed market that ends in seconds: three windows, two rivals, two seeds, one repeat more."""

from __future__ import annotations

from pathlib import Path

SHORT = """\
study: short
market: {id: ceo_arena@1, overrides: {days: 21}}
seeds: [1, 2]
repeats: {1: 2, 2: 1}
contestants:
  base: {policy: rule@1}
  a: {policy: swing@1}
  b: {policy: velocity@1}
lineup: [a, b]
references: [{contestant: base}]
"""
WORLDS = 9


def short_study(folder: Path) -> Path:
    """Write the study and return its file."""
    path = folder / "short.yaml"
    path.write_text(SHORT, encoding="utf-8")
    return path
