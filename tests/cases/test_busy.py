"""RES-15: many processes open one journal at once, and none of them finds it locked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tournament.journal.writer import JOURNAL, open_journal

OPEN = (
    "import sys; from pathlib import Path; from tournament.journal.writer import open_journal\n"
    "sys.stdin.readline()\n"
    "journal = open_journal(Path(sys.argv[1]), {'world': 'w'}, durable=True)\n"
    "journal.store(int(sys.argv[2])).append(0, 'note', {'seat': sys.argv[2]})\n"
    "journal.close()\n"
)


def test_res_15_processes_that_open_one_journal_at_once_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "w" / JOURNAL
    open_journal(path, {"world": "w"}, durable=True).close()
    started = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(path), str(seat)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seat in range(1, 9)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    ended = [process.communicate()[1] for process in started]
    assert [process.returncode for process in started] == [0] * 8, ended
