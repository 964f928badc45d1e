"""The break-in campaign: `python -m benchmarks.breakage [--short] [--seed 0] [--kinds flips ...] [--kills N ...]`.

Kinds: kills of a command by group or by its own process at drawn points (run, externalities, decompose,
report, export), bits flipped in every file of a run, forged edits whose hashes agree, hostile SQL, CEO's
arguments and files, odd provider bodies, malformed studies. Every draw is addressed by seed, kind and number,
so that any of them can be repeated alone. Prints tried and held for each kind, and what did not hold; exits
with 1 where something did not.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from benchmarks.breakage_calls import Attack, arguments
from benchmarks.breakage_inputs import bodies, statements
from benchmarks.breakage_kills import ROUND, kills
from reports.stamp import REPORT, STAMP, Stamp
from tournament.checks.verify import Asked, Sources, Verified, verify_run
from tournament.cli.services import open_study
from tournament.cli.verify import report_of, statistics_of
from tournament.errors import ArenaError
from tournament.storage import sha256_of

STUDY = """\
study: breakage
market: {id: ceo_arena@1, overrides: {days: 14}}
seeds: [1, 2]
repeats: {1: 2, 2: 1}
contestants:
  base: {policy: rule@1}
  a: {policy: swing@1}
  b: {policy: velocity@1}
lineup: [a, b]
references: [{contestant: base}]
"""
SHORT = {
    "kills": 100,
    "flips": 60,
    "forgeries": 16,
    "statements": 30,
    "arguments": 25,
    "bodies": 100,
    "studies": 100,
}
FULL = {
    "kills": 1000,
    "flips": 3000,
    "forgeries": 65,
    "statements": 1000,
    "arguments": 1000,
    "bodies": 3000,
    "studies": 3000,
}
SHOWN = 5
TOLD_EACH = 50


@dataclass(slots=True)
class Result:
    """One kind: how many were tried and held, and by number what did not."""

    tried: int = 0
    held: int = 0
    lost: dict[str, str] = field(default_factory=dict)


def command(*words: str | Path, cwd: Path, expect: int | None = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(_line(*words), cwd=cwd, capture_output=True, text=True, check=False)
    if expect is not None and done.returncode != expect:
        raise SystemExit(f"tournament {words[0]} ended with {done.returncode}: {done.stderr or done.stdout}")
    return done


def _line(*words: str | Path) -> list[str]:
    return [sys.executable, "-m", "tournament", *map(str, words)]


def finished_run(folder: Path) -> Path:
    """Play the campaign's study and decompose it; return its directory."""
    (folder / "breakage.yaml").write_text(STUDY, encoding="utf-8")
    command("run", "breakage.yaml", "--out", "r", "--jobs", "2", cwd=folder)
    command("decompose", "r", cwd=folder)
    command("report", "r", cwd=folder)
    return folder / "r"


def verified(run: Path, *, quick: bool = False) -> Verified:
    sources = Sources(study=open_study, statistics=statistics_of, report=report_of)
    return verify_run(run, Asked(jobs=1, quick=quick), sources, lambda text: None)


@contextmanager
def flips(folder: Path) -> Iterator[Attack]:
    """One bit of one file: it holds where verification finds damage, or tells of other surroundings."""
    run = folder / "r"
    files = sorted(path for path in run.rglob("*") if path.is_file() and not path.name.startswith("."))
    before = verified(run, quick=True).notes

    def attack(draw: random.Random, _: int) -> str | None:
        path = draw.choice(files)
        whole = path.read_bytes()
        if not whole:
            return None
        at = draw.randrange(len(whole) * 8)
        raw = bytearray(whole)
        raw[at // 8] ^= 1 << at % 8
        path.write_bytes(raw)
        try:
            found = verified(run, quick=True)
            held = bool(found.damage) or found.notes != before
        except ArenaError:
            held = True
        finally:
            path.write_bytes(whole)
        return None if held else f"bit {at} of {path.relative_to(run)}"

    yield attack


def _sql(statement: str) -> Callable[[Path, random.Random], list[str]]:
    def forge(run: Path, draw: random.Random) -> list[str]:
        name = draw.choice(sorted(path.parent.name for path in run.glob("worlds/*/journal.sqlite")))
        file = f"worlds/{name}/journal.sqlite"
        connection = sqlite3.connect(run / file)
        connection.executescript(statement)
        connection.commit()
        connection.close()
        return [file]

    return forge


def _number(file: str, column: str) -> Callable[[Path, random.Random], list[str]]:
    def forge(run: Path, draw: random.Random) -> list[str]:
        lines = (run / file).read_text(encoding="utf-8").splitlines()
        at = draw.randrange(1, len(lines))
        cells, place = lines[at].split(","), lines[0].split(",").index(column)
        cells[place] = str(int(cells[place]) + 1_000_000)
        lines[at] = ",".join(cells)
        (run / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return [file]

    return forge


def _ghost(run: Path, draw: random.Random) -> list[str]:
    lines = (run / "outcomes.csv").read_text(encoding="utf-8").splitlines()
    lines.append("ghost." + draw.choice(lines[1:]))
    (run / "outcomes.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ["outcomes.csv"]


def _parquet(pattern: str) -> Callable[[Path, random.Random], list[str]]:
    def forge(run: Path, draw: random.Random) -> list[str]:
        path = draw.choice(sorted(run.glob(pattern)))
        table = parquet.read_table(path)
        numbers = [
            at for at, column in enumerate(table.schema) if pa.types.is_integer(column.type) and len(table)
        ]
        at = draw.choice(numbers)
        values = table.column(at).to_pylist()
        values[draw.randrange(len(values))] = 77
        kind = table.schema.field(at).type
        parquet.write_table(table.set_column(at, table.schema.names[at], pa.array(values, type=kind)), path)
        return [path.relative_to(run).as_posix()]

    return forge


def _text(file: str, old: str, new: str) -> Callable[[Path, random.Random], list[str]]:
    def forge(run: Path, _: random.Random) -> list[str]:
        path = run / file
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        return [file]

    return forge


def _report(pattern: str) -> Callable[[Path, random.Random], list[str]]:
    def forge(run: Path, draw: random.Random) -> list[str]:
        """Change a digit of a report's file and make its list agree."""
        path = draw.choice(sorted((run / REPORT).glob(pattern)))
        text = path.read_text(encoding="utf-8")
        at = draw.choice([found.start() for found in re.finditer(r"[0-8]", text)])
        path.write_text(f"{text[:at]}9{text[at + 1 :]}", encoding="utf-8")
        stamp = Stamp.model_validate_json((run / REPORT / STAMP).read_bytes())
        files = stamp.files | {path.relative_to(run / REPORT).as_posix(): sha256_of(path)}
        forged = stamp.model_copy(update={"files": files})
        whole = forged.model_copy(update={"own": forged.digest})
        (run / REPORT / STAMP).write_text(whole.model_dump_json(), encoding="utf-8")
        return []

    return forge


def _study_hash(run: Path, draw: random.Random) -> list[str]:
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    manifest["study_hash"] = f"{draw.getrandbits(256):064x}"
    (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return []


def _words(run: Path, _: random.Random) -> list[str]:
    """Rename an account in what the manifest says of the market, which nothing else repeats."""
    path = run / "manifest.json"
    path.write_text(path.read_text(encoding="utf-8").replace("marketing:", "marketinG:"), encoding="utf-8")
    return []


def _drop_repeat(run: Path, _: random.Random) -> list[str]:
    """Drop the second repeat from plan, outcome tables and manifest together."""
    for name in ("plan.jsonl", "outcomes.csv"):
        lines = (run / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (run / name).write_text("".join(line for line in lines if ".n2" not in line), encoding="utf-8")
    table = parquet.read_table(run / "outcomes.parquet")
    parquet.write_table(
        table.filter(pc.invert(pc.match_substring(table["world"], ".n2"))), run / "outcomes.parquet"
    )
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"] = {name: digest for name, digest in manifest["files"].items() if ".n2" not in name}
    (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    for path in [*run.glob("worlds/*.n2"), *run.glob("hybrids/*.n2*")]:
        shutil.rmtree(path)
    return ["plan.jsonl", "outcomes.csv", "outcomes.parquet"]


FORGERIES: Mapping[str, Callable[[Path, random.Random], list[str]]] = {
    "repeat dropped": _drop_repeat,
    "ghost row": _ghost,
    "outcomes.csv": _number("outcomes.csv", "score_cents"),
    "outcomes.parquet": _parquet("outcomes.parquet"),
    "world table": _parquet("worlds/*/daily.parquet"),
    "statistics": _number("externalities/private.csv", "private_cents"),
    "report table": _report("tables/*.csv"),
    "report page": _report("worlds/*.html"),
    "study.yaml": _text("study.yaml", "velocity@1", "premium@1"),
    "study.json": _text("study.json", '"seeds":[1,2]', '"seeds":[1,3]'),
    "study hash": _study_hash,
    "hybrid table": _number("hybrids/hybrids.csv", "score_cents"),
    "market's words": _words,
    "journal table": _sql("CREATE TABLE smuggled (x); INSERT INTO smuggled VALUES (1)"),
    "journal row": _sql("INSERT INTO receipts VALUES (99, 0, 1, 99, 'gift', 'applied', 1, 1, '')"),
    "outcome row": _sql("UPDATE outcomes SET value = value + 1 WHERE ordinal = 0"),
}


@contextmanager
def forgeries(folder: Path) -> Iterator[Attack]:
    """An edit whose hashes are made to agree: it holds where verification finds damage all the same."""
    names = list(FORGERIES)

    def attack(draw: random.Random, number: int) -> str | None:
        name = names[number % len(names)]
        with tempfile.TemporaryDirectory(dir=folder) as place:
            run = Path(shutil.copytree(folder / "r", Path(place) / "r"))
            changed = FORGERIES[name](run, draw)
            manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
            manifest["files"] |= {file: sha256_of(run / file) for file in changed}
            (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
            try:
                return None if verified(run).damage else name
            except ArenaError:
                return None

    yield attack


@contextmanager
def studies(folder: Path) -> Iterator[Attack]:
    """A study file changed at drawn places: it holds where it is a study still, or is refused in words."""
    odd = (
        "",
        "null",
        "[]",
        "{}",
        "-1",
        "1e400",
        ".nan",
        '"\\u0000"',
        "!!python/object:x {}",
        "&a *a",
        "x: [",
        "\t",
    )

    def attack(draw: random.Random, _: int) -> str | None:
        words = STUDY.split(" ")
        for _ in range(draw.choice((1, 1, 2, 3))):
            words[draw.randrange(len(words))] = draw.choice(odd)
        path = folder / "odd.yaml"
        path.write_text(" ".join(words), encoding="utf-8")
        try:
            open_study(path).worlds()
        except ArenaError:
            return None
        except Exception as fault:  # noqa: BLE001 - whatever escapes here is what is looked for
            return f"{type(fault).__name__}: {' '.join(words)[:200]!r}"
        return None

    yield attack


def called_damaged(run: Path, whole: bool) -> str:
    """Return what verification calls damaged in a run directory, or nothing."""
    found = verified(run, quick=not whole).damage
    return f"{found[0].file}: {found[0].detail}" if found else ""


KINDS: Mapping[str, Any] = {
    "flips": flips,
    "forgeries": forgeries,
    "statements": statements,
    "arguments": arguments,
    "bodies": bodies,
    "studies": studies,
    "kills": partial(kills, sound=called_damaged),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Attacks of one kind by their numbers, on a copy of the finished run of their own."""

    kind: str
    first: int
    behind: int
    seed: int


def tried(run: Path, part: Part) -> Result:
    """Try a part's attacks; the n-th draw of a kind is the same whatever else is tried."""
    result = Result()
    with tempfile.TemporaryDirectory(dir=run.parent) as place:
        folder = Path(place)
        shutil.copytree(run, folder / "r")
        with KINDS[part.kind](folder) as attack:
            for number in range(part.first, part.behind):
                name = f"{part.seed}/{part.kind}/{number}"
                try:
                    lost = attack(random.Random(name), number)
                except Exception as fault:  # noqa: BLE001 - an attack that raises, whatever, is one that did not hold
                    lost = f"{type(fault).__name__}: {str(fault)[:300]}"
                result.tried += 1
                result.held += lost is None
                if lost is not None:
                    result.lost[name] = lost
                if result.tried % TOLD_EACH == 0:
                    print(f"{part.kind} to {number}: {result.held} of {result.tried}", file=sys.stderr)
    return result


def campaign(folder: Path, sizes: Mapping[str, int], seed: int, jobs: int = 1) -> dict[str, Result]:
    """Try so many attacks of each kind, in `jobs` processes."""
    run = finished_run(folder)
    parts = [
        Part(kind=kind, first=first, behind=min(first + step, size), seed=seed)
        for kind, size in sizes.items()
        for step in (ROUND * -(-size // (ROUND * jobs)),)
        for first in range(0, size, step)
    ]
    found = {kind: Result() for kind in sizes}
    for part, result in zip(parts, _results(run, parts, jobs), strict=True):
        told = found[part.kind]
        told.tried += result.tried
        told.held += result.held
        told.lost |= result.lost
    return found


def _results(run: Path, parts: Sequence[Part], jobs: int) -> Iterator[Result]:
    if jobs == 1:
        yield from (tried(run, part) for part in parts)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(tried, [run] * len(parts), parts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--short", action="store_true", help="a few of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes [default: 2]")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    for kind in KINDS:
        parser.add_argument(f"--{kind}", type=int, default=None, help=f"how many [default: {FULL[kind]}]")
    chosen = vars(parser.parse_args())
    usual = SHORT if chosen["short"] else FULL
    sizes = {
        kind: usual[kind] if chosen[kind] is None else chosen[kind]
        for kind in KINDS
        if kind in chosen["kinds"]
    }
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="breakage-") as place:
        found = campaign(Path(place), sizes, chosen["seed"], chosen["jobs"])
    for kind, result in found.items():
        print(f"{kind:<12} {result.tried:>6} tried {result.held:>6} held")
        for name, lost in list(result.lost.items())[:SHOWN]:
            print(f"  {name}: {lost}")
    print(f"{time.monotonic() - began:.0f} s")
    raise SystemExit(0 if all(result.held == result.tried for result in found.values()) else 1)


if __name__ == "__main__":
    main()
