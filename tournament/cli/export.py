"""`tournament export`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.cli.output import emit, say
from tournament.foreign_text import quoted

if TYPE_CHECKING:
    from agents.routes.public import PrivateWords
    from tournament.export.bundle import Exported
    from tournament.records import Json, Record


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament export runs/ready-1a2b3c4d --out ready.tar.gz")(export)


@dataclass(frozen=True, slots=True)
class Public:
    """What rooms that speak to models know to be private, as a run's export asks for it."""

    words: PrivateWords

    def text(self, text: str) -> str:
        return self.words.hide(text)

    def reason(self, reason: str) -> str:
        from agents.llm.audit.redaction import public_reason

        return self.words.hide(public_reason(reason))

    def study(self, study: Mapping[str, Json]) -> Mapping[str, Json]:
        return self.words.study(study)

    def trace(self, windows: Iterable[Sequence[Record]]) -> Iterator[str]:
        from dataclasses import replace

        from agents.llm.audit.redaction import public_record
        from agents.llm.audit.trace import trace_lines

        # What is not published is left out first: the words of a fault may be megabytes to look through.
        public = (map(public_record, records) for records in windows)
        return trace_lines(
            [replace(record, body=self.words.hide_all(record.body)) for record in records]
            for records in public
        )

    def is_public(self, text: str) -> bool:
        return self.words.is_public(text)

    def found(self, text: str) -> str | None:
        return self.words.found(text)


def export(
    run: Annotated[Path, typer.Argument(help="Run directory; it needs no write access.", metavar="RUN")],
    out: Annotated[
        Path | None, typer.Option(help="Archive to write [default: STUDY-HASH.tar.gz].", metavar="FILE")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Write an archive of a run that others can check with `tournament verify FILE`.

    It holds seals, outcomes, hashes, study, tables and the audit trace; no key, gateway address or model
    reasoning; its export.json says what was left out. The same run gives the same bytes.
    """
    from tournament.export.archive import SUFFIX, write_archive
    from tournament.export.bundle import write_export
    from tournament.rundir.manifest import read_manifest
    from tournament.storage import scratch_folder, sha256_of

    public = _public(run)
    manifest = read_manifest(run)
    archive = _archive(out, f"{manifest.study}-{manifest.study_hash[:8]}{SUFFIX}")
    with scratch_folder(archive.parent, f".{archive.name}.") as scratch:
        content = scratch / "content"
        content.mkdir()
        done = write_export(run, content, public)
        write_archive(content, archive, done.root, temporary=scratch / archive.name)
    digest = sha256_of(archive)
    if as_json:
        note = done.note.model_dump(mode="json", exclude={"files"})
        emit({"archive": str(archive), "sha256": digest, "digest": done.digest, "files": done.files, **note})
    else:
        say(_text(done, archive, digest))


def _archive(out: Path | None, name: str) -> Path:
    from tournament.errors import InputError

    archive = out or Path(name)
    if archive.is_dir():
        raise InputError("is a folder; give the archive's own name", file=archive, field="--out")
    if not archive.parent.is_dir():
        raise InputError(f"there is no folder {archive.parent}", field="--out")
    return archive


def _public(run: Path) -> Public:
    """Learn what is private from the routes of a run's study, in both its forms, and from the environment."""
    from agents.routes.public import private_words
    from tournament.export.study import listed_routes
    from tournament.rundir.layout import STUDY, read_canonical
    from tournament.rundir.manifest import read_manifest
    from tournament.study.yaml import read_yaml

    read_manifest(run)
    entries = {**read_canonical(run)["routes"], **listed_routes(read_yaml(run / STUDY).value)}
    return Public(words=private_words(entries, os.environ))


def _text(done: Exported, archive: Path, digest: str) -> str:
    note = done.note
    lines = [
        f"{archive}: {done.files} files, {len(note.finished)} of {note.planned} worlds finished",
        f"SHA-256 of the archive {digest}",
        f"digest of its list of files, for a signature: {done.digest}",
    ]
    if note.unfinished:
        lines.append(f"unfinished, as far as they go: {', '.join(note.unfinished)}")
    if note.not_started:
        lines.append(f"not started: {', '.join(note.not_started)}")
    lines += [f"left out: {what}" for what in note.left_out]
    lines.append(f"check it with `tournament verify {quoted(archive)}`")
    return "\n".join(lines)
