"""A process that plays one window on a real journal and kills itself at its n-th durable commit.

`python -m tests.llm.victim JOURNAL COMMITS`: prints the choice and the conversation if it lives to the end.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.llm.rig import Rig
from tests.llm.test_resume import EVENTFUL
from tournament.journal.writer import SeatEvents, open_journal
from tournament.records import Record

HEADER = {"world": "ref.r0.s11.n1"}


class Mortal(SeatEvents):
    """The journal's own store, of a process whose life ends with a commit."""

    left = sys.maxsize

    def append(self, *event: Any, **files: Any) -> Record:
        record = super().append(*event, **files)
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return record


def play(path: Path, commits: int) -> Mapping[str, Any]:
    journal = open_journal(path, HEADER, durable=True)
    store = Mortal(journal, 1)
    store.left = commits
    rig = Rig(EVENTFUL, store=store)  # type: ignore[arg-type]
    choice = asyncio.run(rig.play())
    told = {
        "decision": choice.decision,
        "rationale": choice.rationale,
        "files": dict(store.files()),
        "messages": rig.state().messages,
        "chain": rig.state().chain,
        "replies": rig.state().spent.replies,
        "asked": len(rig.route.requests),
    }
    journal.close()
    return told


if __name__ == "__main__":
    print(json.dumps(play(Path(sys.argv[1]), int(sys.argv[2]))))
