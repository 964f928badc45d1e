"""`tournament init`: a commented study to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tournament.cli.output import say
from tournament.foreign_text import quoted


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament init mine.yaml")(init)


def init(
    file: Annotated[Path, typer.Argument(help="Study file to write.", metavar="FILE")] = Path("study.yaml"),
) -> None:
    """Write a commented study file that runs without a key; an existing file is never overwritten.

    It shows how a language model is seated, in lines to be uncommented: contestant, route, cap of dollars.
    """
    import re

    from lineups.starter import starter_study
    from tournament.errors import InputError, StorageError

    study = re.sub(r"[^a-z0-9-]+", "-", file.stem.lower()).strip("-") or "study"
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(starter_study(study, str(file)))
    except FileExistsError:
        raise InputError("exists already; choose another name", file=file) from None
    except OSError as fault:
        raise StorageError(f"cannot write {file}: {fault.strerror}") from None
    say(f"wrote {file}; next: tournament plan {quoted(file)}")
