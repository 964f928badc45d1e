"""`tournament init`: a commented study to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from tournament.cli.output import say

TEMPLATE: Final = """\
# A study: who competes, in which market, and who is replaced by whom.
# `tournament plan {name}` shows its worlds and their cost, `tournament run {name}` plays it.
study: {study}                # letters a-z, digits, hyphens; names the run directory
market: ceo_arena@1           # or {{id: ceo_arena@1, overrides: {{days: 140}}}} for a scenario of your own
seeds: [11, 29, 47]           # economic seeds: the same weather for every lineup
repeats: 1                    # worlds per seed; or a map such as {{11: 3, 29: 1, 47: 1}}

contestants:                  # id shown in every table -> policy and its parameters
  rule: {{policy: rule@1}}      # `tournament policies` lists policies, `tournament policies rule@1` parameters
  idle: {{policy: no_action@1}}
  focused: {{policy: rule@1, params: {{product: A, segment: value}}}}
  dear: {{policy: rule@1, params: {{multiplier: 1.1, spending: standard}}}}
  # mine: {{policy: scripted@1, params: {{file: mine.json}}}}   # a hand-written CEO, beside this file

lineup: [idle, focused, dear] # seats 1 to N of the reference lineup, 2 to 16 contestants
replace: all                  # or a list of contestants; an inner list is replaced at once
references:                   # who takes a replaced contestant's seat
  - {{contestant: rule}}
rotations: [0]                # cyclic seat shifts: [0, 1, 2] parts seat from contestant
"""


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament init mine.yaml")(init)


def init(
    file: Annotated[Path, typer.Argument(help="Study file to write.", metavar="FILE")] = Path("study.yaml"),
) -> None:
    """Write a small commented study file; an existing file is never overwritten."""
    import re

    from tournament.errors import InputError, StorageError

    study = re.sub(r"[^a-z0-9-]+", "-", file.stem.lower()).strip("-") or "study"
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(TEMPLATE.format(name=file, study=study))
    except FileExistsError:
        raise InputError("exists already; choose another name", file=file) from None
    except OSError as fault:
        raise StorageError(f"cannot write {file}: {fault.strerror}") from None
    say(f"wrote {file}; next: tournament plan {file}")
