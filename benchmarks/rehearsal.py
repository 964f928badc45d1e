"""The whole way, rehearsed: `python -m benchmarks.rehearsal [--days 500] [--seats 8] [--kills 3]`.

`--faults every` injects every fault after which a world goes on, those of the wire and those of the model, so
often that `--days 154 --latency 0 --faults every` meets more than 10,000 of them in its 27 worlds.

A study whose contestants are strategies that speak in tool calls, over real HTTP through litellm, with
latency and faults of the field injected by the mock provider, is played twice: once without a break,
and once killed with SIGKILL at random moments and started again. Both must end, verify, and agree in
every seal, receipt, daily hash and table, and no reply that was recorded may have been bought twice.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL

Ask = Callable[[str], Mapping[str, Any]]
POLL_SECONDS = 0.02
# Faults that a conversation gets over, with their rates: three answers of five have one.
EVERY = ",".join(
    (
        "0.08",  # of the wire, mended by asking again
        *(f"{name}:0.06" for name in ("list_content", "no_content", "raw_newline", "bad_bytes")),
        *(f"{name}:0.06" for name in ("reasoning_outside", "finish_null", "finish_stop")),
        *(f"{name}:0.02" for name in ("no_usage", "zero_usage", "negative_usage")),
        *(f"{name}:0.005" for name in ("length", "ceiling", "malformed_call", "null_message", "filtered")),
        *(f"{name}:0.005" for name in ("content_filter", "refusal", "text_call")),
    )
)
STRATEGIES = (
    "wholesaler",
    "velocity",
    "premium",
    "broker",
    "follower",
    "overinvestor",
    "swing",
    "bayesian",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What is rehearsed; `seed` decides on faults and on the moments of the kills."""

    days: int = 500
    seats: int = 8
    seeds: Sequence[int] = (11, 29, 47)
    latency: float = 0.1
    faults: str = "0.02"
    kills: int = 3
    worlds: int = 8
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it. `bought_again` counts replies bought more often than without a break; every one
    of them was lost with a killed process, between a durable intent and its reply: `lost_intents` counts
    intents that were asked again since their process had ended, and nothing else that may have been paid."""

    worlds: int
    replies: int
    injected_faults: int
    kills: int
    lost_intents: int
    bought_again: int
    seconds_unbroken: float
    seconds_killed: float
    differences: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.differences and self.bought_again <= self.lost_intents


def rehearse(folder: Path, rehearsal: Rehearsal) -> Outcome:
    """Play both runs under `folder` and compare them."""
    folder.mkdir(parents=True, exist_ok=True)
    moments = random.Random(rehearsal.seed)
    with provider(rehearsal, port=0) as (port, ask):
        study = _write_study(folder, rehearsal, port)
        unbroken, _ = _play(study, folder / "unbroken", [], ask)
        bought = ask("account")
    with provider(rehearsal, port=port) as (_, ask):
        marks = sorted(int(bought["replies"] * moments.uniform(0.02, 0.95)) for _ in range(rehearsal.kills))
        killed, kills = _play(study, folder / "killed", marks, ask)
        again = ask("account")
    for run in ("unbroken", "killed"):
        _command("verify", str(folder / run))
    extra = Counter(again["bought"])
    extra.subtract(Counter(bought["bought"]))
    told = [f"{key[:12]} bought less often" for key, count in extra.items() if count < 0]
    for run in ("unbroken", "killed"):
        kept = _count(folder / run, ("reply",))
        if kept != bought["replies"]:
            told.append(f"{run}: {kept} replies on record of {bought['replies']} that it needed")
    whole, broken = records(folder / "unbroken"), records(folder / "killed")
    return Outcome(
        worlds=len(whole),
        replies=int(bought["replies"]),
        injected_faults=sum(bought["faults"].values()),
        kills=kills,
        lost_intents=_count(folder / "killed", ("intent",))
        - _count(folder / "killed", ("reply", "failed", "identity_mismatch", "foreign")),
        bought_again=sum(count for count in extra.values() if count > 0),
        seconds_unbroken=round(unbroken, 1),
        seconds_killed=round(killed, 1),
        differences=(*told, *_differences(whole, broken), *_tables(folder)),
    )


@contextmanager
def provider(rehearsal: Rehearsal, *, port: int) -> Iterator[tuple[int, Ask]]:
    """Serve the mock models; yields the port and a function that fetches the `account` or the `totals`."""
    faults = EVERY if rehearsal.faults == "every" else rehearsal.faults
    words = ["--latency", str(rehearsal.latency), "--seed", str(rehearsal.seed), "--faults", faults]
    process = subprocess.Popen(
        [sys.executable, "-m", "tournament", "mock-provider", "--port", str(port), *words],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    address = process.stdout.readline().split(";")[0].removeprefix("listening at ").strip()
    root = address.removesuffix("/v1")

    def ask(page: str) -> Mapping[str, Any]:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{root}/{page}") as answer:
            facts: Mapping[str, Any] = json.loads(answer.read())
        return facts

    try:
        yield int(root.rpartition(":")[2]), ask
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def _write_study(folder: Path, rehearsal: Rehearsal, port: int) -> Path:
    names = STRATEGIES[: rehearsal.seats]
    # Faults pass at once here, so waits are short; a real route's bounds are in docs/routes.md.
    limits = {"concurrent": 64, "retry": {"base_seconds": 0.05, "cap_seconds": 1.0}}
    study = {
        "study": "rehearsal",
        "market": {"id": "ceo_arena@1", "overrides": {"days": rehearsal.days}},
        "seeds": list(rehearsal.seeds),
        "contestants": {
            "rule": {"policy": "rule@1"},
            **{name: {"policy": "llm@1", "route": name} for name in names},
        },
        "lineup": list(names),
        "references": [{"contestant": "rule"}],
        "routes": [
            {
                "id": name,
                "model": f"openai/mock-{name}",
                "api_base": f"http://127.0.0.1:{port}/v1",
                "price": {"input": 1.0, "output": 4.0},
                "limits": limits,
                # Counts of zero are injected here; a route that tells them stops otherwise.
                "allow": ["cut_prompts"],
            }
            for name in names
        ],
        "limits": {"worlds": rehearsal.worlds},
    }
    file = folder / "rehearsal.yaml"
    file.write_text(json.dumps(study, indent=1), encoding="utf-8")
    return file


def _play(study: Path, run: Path, marks: Sequence[int], ask: Ask) -> tuple[float, int]:
    """Run to the end, killed whenever so many replies are bought; returns the seconds and the kills."""
    began = time.monotonic()
    kills = 0
    for mark in marks:
        process = subprocess.Popen(
            [sys.executable, "-m", "tournament", "run", str(study), "--out", str(run)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while process.poll() is None and ask("totals")["replies"] < mark:
            time.sleep(POLL_SECONDS)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
    _command("run", str(study), "--out", str(run))
    return time.monotonic() - began, kills


def _command(*words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tournament", *words], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"tournament {words[0]} ended with {done.returncode}: {done.stderr or done.stdout}")


def records(run: Path) -> dict[str, tuple[Any, ...]]:
    """Return what a world's identity speaks of, by world: seals, receipts, daily hashes."""
    found: dict[str, tuple[Any, ...]] = {}
    for path in sorted((run / "worlds").glob(f"*/{JOURNAL}")):
        with read_journal(path) as reader:
            receipts = tuple(reader.receipts(window) for window in range(len(reader.windows())))
            found[path.parent.name] = (reader.seals(), receipts, reader.days())
    return found


def _count(run: Path, kinds: Sequence[str]) -> int:
    """Count records of these kinds in a run; an intent has one reply, failure or other model's reply, or is lost."""
    places = ", ".join("?" for _ in kinds)
    found = 0
    for path in sorted((run / "worlds").glob(f"*/{JOURNAL}")):
        with read_journal(path) as reader:
            found += reader.query(f"SELECT count(*) FROM events WHERE kind IN ({places})", kinds)[0][0]
    return found


def _differences(whole: Mapping[str, Any], broken: Mapping[str, Any]) -> list[str]:
    parts = ("seals", "receipts", "daily hashes")
    told = [f"world {world} is in one run only" for world in sorted(whole.keys() ^ broken.keys())]
    for world in sorted(whole.keys() & broken.keys()):
        told += [
            f"{world}: {part} differ"
            for part, one, other in zip(parts, whole[world], broken[world], strict=True)
            if one != other
        ]
    return told


def _tables(folder: Path) -> list[str]:
    """Compare every table that identity speaks of, byte for byte."""
    whole, broken = folder / "unbroken", folder / "killed"
    names = ["outcomes.csv"]
    names += sorted(str(path.relative_to(whole)) for path in (whole / "externalities").rglob("*.csv"))
    return [
        f"{name} differs" for name in names if (whole / name).read_bytes() != (broken / name).read_bytes()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--days", type=int, default=500)
    parser.add_argument("--seats", type=int, default=8, choices=range(2, len(STRATEGIES) + 1))
    parser.add_argument("--seeds", type=int, nargs="+", default=[11, 29, 47])
    parser.add_argument("--latency", type=float, default=0.1, help="seconds of every answer")
    parser.add_argument("--faults", default="0.02", help="as for tournament mock-provider, or every")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--worlds", type=int, default=8, help="worlds played at a time")
    parser.add_argument("--seed", type=int, default=0, help="of faults and kills")
    parser.add_argument("--out", type=Path, default=Path("runs/rehearsal"), help="an empty or new folder")
    given = vars(parser.parse_args())
    out = given.pop("out")
    outcome = rehearse(out, Rehearsal(**given))
    print(json.dumps({**asdict(outcome), "passed": outcome.passed}, indent=1))
    raise SystemExit(0 if outcome.passed else 1)


if __name__ == "__main__":
    main()
