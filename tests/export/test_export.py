"""`tournament export`: what an archive holds, what it never tells, and how it is checked by itself."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.cli.arena import rows, study, talker, tournament
from tests.export.gateway import PLACE, THOUGHT, gateway
from tests.export.panels import KEY, panel_study
from tournament.study.yaml import read_yaml


@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run `r` without models and its export `r.tar.gz`."""
    folder = tmp_path_factory.mktemp("street")
    tournament("run", study(folder), "--out", "r", cwd=folder)
    tournament("export", "r", "--out", "r.tar.gz", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of a model behind a private gateway, and its export `r.tar.gz`."""
    folder = tmp_path_factory.mktemp("panel")
    secret = {"CANARY_KEY": KEY}
    with gateway() as address:
        tournament("run", panel_study(folder, address), "--out", "r", cwd=folder, env=secret)
    tournament("export", "r", "--out", "r.tar.gz", cwd=folder, env=secret)
    return folder


def unpack(archive: Path, into: Path) -> Path:
    """Unpack as anyone would, and return the one folder."""
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    (folder,) = into.iterdir()
    return folder


def told(path: Path) -> Iterator[bytes]:
    """Yield everything that a file tells: its bytes, and what compressed columns and database cells hold."""
    yield path.read_bytes()
    if path.suffix == ".parquet":
        yield json.dumps(parquet.read_table(path).to_pydict(), ensure_ascii=False).encode()
    if path.suffix == ".sqlite":
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        for (table,) in connection.execute("SELECT name FROM sqlite_master").fetchall():
            yield repr(connection.execute(f"SELECT * FROM {table}").fetchall()).encode()
        connection.close()


def names(archive: Path) -> list[str]:
    with tarfile.open(archive) as tar:
        return [member.name.partition("/")[2] for member in tar]


def test_an_archive_is_verified_where_nothing_else_of_the_run_is(street: Path, tmp_path: Path) -> None:
    shutil.copy(street / "r.tar.gz", tmp_path / "paper.tar.gz")
    done = tournament("verify", "paper.tar.gz", cwd=tmp_path)
    assert "8 of 8 worlds finished and replayed, 0 unfinished: all as recorded" in done.stdout
    found = json.loads(tournament("verify", "paper.tar.gz", "--json", cwd=tmp_path).stdout)
    assert (found["run"], found["ok"], len(found["finished"])) == ("paper.tar.gz", True, 8)
    folder = unpack(tmp_path / "paper.tar.gz", tmp_path / "unpacked")
    assert "all as recorded" in tournament("verify", folder, cwd=tmp_path).stdout
    assert {path.name for path in tmp_path.iterdir()} == {"unpacked", "paper.tar.gz"}


def test_an_archive_holds_what_the_run_published_and_says_what_it_lacks(street: Path, tmp_path: Path) -> None:
    folder = unpack(street / "r.tar.gz", tmp_path)
    run = street / "r"
    for name in ("outcomes.csv", "study.yaml", "study.json", "plan.jsonl", "externalities/private.csv"):
        assert (folder / name).read_bytes() == (run / name).read_bytes()
    for journal in run.glob("worlds/*/journal.sqlite"):
        twin = folder / journal.relative_to(run)
        for table in ("windows", "receipts", "postings", "days", "outcomes"):
            assert rows(twin, table) == rows(journal, table)
        assert [row[:6] for row in rows(twin, "seals")] == [row[:6] for row in rows(journal, "seals")]
        assert {row[6] for row in rows(twin, "seals")} == {"null"}
    note = json.loads((folder / "export.json").read_text())
    assert note["files"] == json.loads((run / "manifest.json").read_text())["files"]
    assert any("memos" in line for line in note["left_out"])
    assert all(name.endswith("journal.sqlite") for name in note["rewritten"])


def test_every_file_stands_in_the_manifest_and_in_a_list_that_sha256sum_reads(
    street: Path, tmp_path: Path
) -> None:
    folder = unpack(street / "r.tar.gz", tmp_path)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    listed = json.loads((folder / "manifest.json").read_text())["files"]
    assert files == {*listed, "manifest.json", "SHA256SUMS"}
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    sums = {line[66:]: line[:64] for line in lines}
    assert set(sums) == files - {"SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert listed == {name: digest for name, digest in sums.items() if name != "manifest.json"}


def test_the_same_run_gives_the_same_bytes_and_names_no_time_and_no_person(
    street: Path, tmp_path: Path
) -> None:
    tournament("export", street / "r", "--out", "again.tar.gz", cwd=tmp_path)
    assert (tmp_path / "again.tar.gz").read_bytes() == (street / "r.tar.gz").read_bytes()
    with tarfile.open(street / "r.tar.gz") as tar:
        for member in tar:
            assert (member.mtime, member.uid, member.gid, member.uname, member.gname) == (0, 0, 0, "", "")
    raw = (street / "r.tar.gz").read_bytes()
    assert raw[4:8] == b"\0\0\0\0"


def test_exporting_writes_nothing_into_the_run(street: Path, tmp_path: Path) -> None:
    def picture() -> dict[str, tuple[int, bytes]]:
        return {
            str(path): (path.stat().st_mtime_ns, path.read_bytes())
            for path in sorted((street / "r").rglob("*"))
            if path.is_file()
        }

    before = picture()
    tournament("export", street / "r", "--out", "x.tar.gz", cwd=tmp_path)
    assert picture() == before


def test_no_key_address_or_thought_is_in_any_byte_of_the_archive(panel: Path, tmp_path: Path) -> None:
    journal = (panel / "r" / "worlds" / "ref.r0.s11.n1" / "journal.sqlite").read_bytes()
    assert THOUGHT.encode() in journal
    assert PLACE.encode() in (panel / "r" / "study.json").read_bytes()
    folder = unpack(panel / "r.tar.gz", tmp_path)
    for path in folder.rglob("*"):
        for content in told(path) if path.is_file() else ():
            for private in (KEY, THOUGHT, PLACE, "canary", "CANARY", "127.0.0.1"):
                assert private.encode() not in content, f"{path} tells {private}"
    raw = gzip.decompress((panel / "r.tar.gz").read_bytes())
    assert b"canary" not in raw.lower()


def test_the_trace_tells_what_was_said_called_and_answered(panel: Path, tmp_path: Path) -> None:
    folder = unpack(panel / "r.tar.gz", tmp_path)
    lines = (folder / "trace" / "ref.r0.s11.n1" / "seat-1.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    kinds = [event["kind"] for event in events]
    assert kinds.count("open") == kinds.count("close") == 2
    assert kinds.count("reply") == 4
    assert "attempt" in kinds
    replies = [event["body"]["message"] for event in events if event["kind"] == "reply"]
    assert [message["content"] for message in replies[:2]] == ["I look at prices.", "Done."]
    assert [call["function"]["name"] for call in replies[0]["tool_calls"]] == ["write_file", "set_price"]
    assert "noted: price 4100" in replies[0]["tool_calls"][0]["function"]["arguments"]
    (closed, _) = (event["body"] for event in events if event["kind"] == "close")
    assert closed["rationale"] == "a public reason"
    receipts = (folder / "private-files" / "ref.r0.s11.n1.jsonl").read_text().splitlines()
    text = b"noted: price 4100"
    assert json.loads(receipts[0])["sha256"] == hashlib.sha256(text).hexdigest()


def test_an_archive_of_a_model_run_is_verified_on_its_own_and_its_study_says_what_is_hidden(
    panel: Path, tmp_path: Path
) -> None:
    shutil.copy(panel / "r.tar.gz", tmp_path / "r.tar.gz")
    assert "all as recorded" in tournament("verify", "r.tar.gz", cwd=tmp_path).stdout
    folder = unpack(tmp_path / "r.tar.gz", tmp_path / "unpacked")
    canonical = json.loads((folder / "study.json").read_text())
    route = canonical["routes"]["one"]
    assert (route["api_base"], route["key_env"], route["settings"]) == ("[hidden]",) * 3
    assert route["model"] == "openai/model-a"
    text = (folder / "study.yaml").read_text()
    assert text.startswith("# Written from the values of the study file")
    assert "The gateway of this study" not in text
    shown, own = read_yaml(folder / "study.yaml").value, read_yaml(panel / "panel.yaml").value
    assert shown["routes"][0] | {"api_base": "", "key_env": "", "settings": ""} == own["routes"][0] | {
        "api_base": "",
        "key_env": "",
        "settings": "",
    }
    assert {**shown, "routes": []} == {**own, "routes": []}
    names_of_usage = parquet.read_table(folder / "worlds/ref.r0.s11.n1/usage.parquet").column_names
    assert "generated_tokens" in names_of_usage


def test_a_providers_words_about_a_full_context_stay_at_home(tmp_path: Path) -> None:
    with gateway("overflows") as address:
        tournament("run", panel_study(tmp_path, address), "--out", "r", cwd=tmp_path, env={"CANARY_KEY": KEY})
    journal = tmp_path / "r" / "worlds" / "ref.r0.s11.n1" / "journal.sqlite"
    (reason,) = {row[4] for row in rows(journal, "seals") if row[1] == 1}
    assert reason.startswith("context window exceeded: ")
    assert reason.endswith(f"{THOUGHT}: too long for our cluster")
    tournament("export", "r", "--out", "r.tar.gz", cwd=tmp_path)
    folder = unpack(tmp_path / "r.tar.gz", tmp_path / "unpacked")
    twin = folder / journal.relative_to(tmp_path / "r")
    assert {row[4] for row in rows(twin, "seals") if row[1] == 1} == {"context window exceeded"}
    for path in folder.rglob("*"):
        assert not path.is_file() or all(b"our cluster" not in content for content in told(path))
    assert "all as recorded" in tournament("verify", "r.tar.gz", cwd=tmp_path).stdout


def test_a_providers_words_of_refusal_stay_at_home(tmp_path: Path) -> None:
    with gateway("refuses") as address:
        path = panel_study(tmp_path, address)
        tournament("run", path, "--out", "r", cwd=tmp_path, env={"CANARY_KEY": KEY}, expect=3)
    journal = tmp_path / "r" / "worlds" / "ref.r0.s11.n1" / "journal.sqlite"
    kinds = {row[3] for row in rows(journal, "events") if "ask our operator" in row[4]}
    assert kinds == {"attempt", "failed"}
    tournament("export", "r", "--out", "r.tar.gz", cwd=tmp_path)
    folder = unpack(tmp_path / "r.tar.gz", tmp_path / "unpacked")
    lines = (folder / "trace" / "ref.r0.s11.n1" / "seat-1.jsonl").read_text(encoding="utf-8").splitlines()
    assert {"attempt", "failed"} < {json.loads(line)["kind"] for line in lines}
    for path in folder.rglob("*"):
        assert not path.is_file() or all(b"our operator" not in content for content in told(path))


def test_a_key_that_is_no_longer_in_the_environment_is_not_told_either(panel: Path, tmp_path: Path) -> None:
    tournament("export", panel / "r", "--out", "later.tar.gz", cwd=tmp_path)
    assert b"canary" not in gzip.decompress((tmp_path / "later.tar.gz").read_bytes()).lower()


def test_what_cannot_be_left_out_is_not_exported_and_named_without_its_value(
    street: Path, tmp_path: Path
) -> None:
    secret = {"SOME_ACCESS_TOKEN": "base-for-a.r0.s1.n1"}
    done = tournament("export", street / "r", "--out", "x.tar.gz", cwd=tmp_path, env=secret, expect=2)
    assert "not exported: " in done.stderr
    assert "would tell the value of SOME_ACCESS_TOKEN" in done.stderr
    assert "base-for-a.r0.s1.n1" not in done.stderr.partition("would tell")[2]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        "SHA256SUMS",
        "export.json",
        "manifest.json",
        "outcomes.csv",
        "plan.jsonl",
        "study.json",
        "study.yaml",
        "externalities/directed.csv",
        "worlds/ref.r0.s1.n1/journal.sqlite",
        "worlds/ref.r0.s2.n1/windows.parquet",
    ],
)
def test_one_damaged_byte_of_an_unpacked_export_is_named(street: Path, tmp_path: Path, name: str) -> None:
    folder = unpack(street / "r.tar.gz", tmp_path)
    raw = bytearray((folder / name).read_bytes())
    at = raw.index(b'"study_hash"') + 20 if name in ("manifest.json", "export.json") else len(raw) // 2
    raw[at] ^= 1
    (folder / name).write_bytes(raw)
    done = tournament("verify", folder, cwd=tmp_path, expect=4)
    assert name in done.stdout + done.stderr


@pytest.mark.parametrize("share", [0.1, 0.35, 0.6, 0.85])
def test_one_damaged_byte_of_an_archive_is_found_and_a_file_is_named(
    street: Path, tmp_path: Path, share: float
) -> None:
    raw = bytearray((street / "r.tar.gz").read_bytes())
    raw[int(len(raw) * share)] ^= 0x10
    (tmp_path / "r.tar.gz").write_bytes(raw)
    done = tournament("verify", "r.tar.gz", cwd=tmp_path, expect=4)
    shown = done.stdout + done.stderr
    assert any(name in shown for name in names(street / "r.tar.gz")), shown


def test_a_cut_archive_is_damaged(street: Path, tmp_path: Path) -> None:
    raw = (street / "r.tar.gz").read_bytes()
    (tmp_path / "r.tar.gz").write_bytes(raw[: len(raw) // 2])
    done = tournament("verify", "r.tar.gz", cwd=tmp_path, expect=4)
    assert "r.tar.gz" in done.stdout
    assert "cannot be decompressed" in done.stdout


def test_an_export_under_another_studys_hash_is_found(street: Path, tmp_path: Path) -> None:
    folder = unpack(street / "r.tar.gz", tmp_path)
    own = json.loads((folder / "manifest.json").read_text())["study_hash"]
    for name in ("manifest.json", "export.json"):
        (folder / name).write_text((folder / name).read_text().replace(own, "0" * 64))
    digest = hashlib.sha256((folder / "export.json").read_bytes()).hexdigest()
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["export.json"] = digest
    (folder / "manifest.json").write_text(json.dumps(manifest))
    done = tournament("verify", folder, cwd=tmp_path, expect=4)
    assert "DAMAGE in study.json: does not have the hash that the manifest names" in done.stdout


def test_files_added_to_or_taken_from_an_export_are_named(street: Path, tmp_path: Path) -> None:
    folder = unpack(street / "r.tar.gz", tmp_path)
    (folder / "externalities" / "better.csv").write_text("score\n")
    (folder / "externalities" / "private.csv").unlink()
    done = tournament("verify", folder, cwd=tmp_path, expect=4)
    assert "DAMAGE in externalities/better.csv: is no file of this export" in done.stdout
    assert "DAMAGE in externalities/private.csv: is missing" in done.stdout


def member(name: str, content: bytes = b"x", **more: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in more.items():
        setattr(info, key, value)
    return info, content


UNSAFE = {
    "a step up": [member("run/../../escaped")],
    "an absolute name": [member("/tmp/escaped")],
    "a symbolic link": [member("run/link", b"", type=tarfile.SYMTYPE, linkname="../../escaped")],
    "a hard link": [member("run/link", b"", type=tarfile.LNKTYPE, linkname="/etc/passwd")],
    "a device": [member("run/device", b"", type=tarfile.CHRTYPE)],
    "a name twice": [member("run/a"), member("run/a", b"y")],
    "a file without a folder": [member("escaped")],
    "a control character": [member("run/a\x1b[2J")],
}


@pytest.mark.parametrize("case", UNSAFE)
def test_an_archive_that_would_write_elsewhere_is_refused(tmp_path: Path, case: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    with tarfile.open(inside / "x.tar.gz", "w:gz") as tar:
        for info, content in UNSAFE[case]:
            tar.addfile(info, io.BytesIO(content))
    done = tournament("verify", "x.tar.gz", cwd=inside, expect=4, env={"TMPDIR": str(inside)})
    assert "x.tar.gz is damaged or unsafe: " in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert [path.name for path in inside.iterdir()] == ["x.tar.gz"]
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]


def test_an_unfinished_run_is_exported_as_far_as_it_goes_and_said_to_be_unfinished(tmp_path: Path) -> None:
    outage = tmp_path / "outage"
    outage.touch()
    path = study(tmp_path, third=talker("", outage))
    tournament("run", path, "--out", "r", "--seed", "1", cwd=tmp_path, expect=3)
    done = tournament("export", "r", "--out", "r.tar.gz", cwd=tmp_path)
    assert "1 of 8 worlds finished" in done.stdout
    assert "unfinished, as far as they go: ref.r0.s1.n1" in done.stdout
    assert "not started: ref.r0.s2.n1" in done.stdout
    assert "the provider is down" in json.dumps(
        rows(tmp_path / "r/worlds/ref.r0.s1.n1/journal.sqlite", "meta")
    )
    folder = unpack(tmp_path / "r.tar.gz", tmp_path / "unpacked")
    kept = dict(rows(folder / "worlds/ref.r0.s1.n1/journal.sqlite", "meta"))
    assert json.loads(kept["suspended"])["kind"] == "transport"
    assert "the provider is down" not in kept["suspended"]
    verified = tournament("verify", "r.tar.gz", cwd=tmp_path)
    assert "unfinished: ref.r0.s1.n1, 2 windows settled" in verified.stdout
    assert "1 of 8 worlds finished and replayed, 3 unfinished: all as recorded" in verified.stdout
    facts = json.loads(tournament("export", "r", "--out", "s.tar.gz", "--json", cwd=tmp_path).stdout)
    assert facts["finished"] == ["base-for-c.r0.s1.n1"]


def test_a_run_that_was_changed_is_not_exported(tmp_path: Path) -> None:
    tournament("run", study(tmp_path, seeds=(1,)), "--out", "r", cwd=tmp_path)
    journal = tmp_path / "r" / "worlds" / "ref.r0.s1.n1" / "journal.sqlite"
    connection = sqlite3.connect(journal)
    connection.execute("UPDATE outcomes SET value = value + 1 WHERE metric = 'score_cents'")
    connection.commit()
    connection.close()
    done = tournament("export", "r", "--out", "x.tar.gz", cwd=tmp_path, expect=4)
    assert "ref.r0.s1.n1/journal.sqlite is not what was published" in done.stderr
    assert not (tmp_path / "x.tar.gz").exists()


def test_hybrid_worlds_go_along_and_are_verified_too(tmp_path: Path) -> None:
    tournament("run", study(tmp_path, seeds=(1,)), "--out", "r", cwd=tmp_path)
    tournament("decompose", "r", cwd=tmp_path)
    tournament("export", "r", "--out", "r.tar.gz", cwd=tmp_path)
    assert "hybrids/base-for-a.r0.s1.n1.forward/journal.sqlite" in names(tmp_path / "r.tar.gz")
    tournament("verify", "r.tar.gz", cwd=tmp_path)


def test_an_export_is_not_exported_again_and_other_files_are_no_exports(street: Path, tmp_path: Path) -> None:
    folder = unpack(street / "r.tar.gz", tmp_path / "u")
    done = tournament("export", folder, "--out", "x.tar.gz", cwd=tmp_path, expect=2)
    assert "is an export already" in done.stderr
    (tmp_path / "notes.txt").write_text("not an archive")
    done = tournament("verify", "notes.txt", cwd=tmp_path, expect=2)
    assert "is neither a run directory nor an export's archive" in done.stderr
    (tmp_path / "other.gz").write_bytes(gzip.compress(b"no tar in here"))
    done = tournament("verify", "other.gz", cwd=tmp_path, expect=4)
    assert "other.gz is damaged" in done.stderr


def test_the_archives_name_is_the_studys_unless_told_otherwise(street: Path, tmp_path: Path) -> None:
    done = tournament("export", street / "r", cwd=tmp_path)
    (archive,) = tmp_path.iterdir()
    study_hash = json.loads((street / "r" / "manifest.json").read_text())["study_hash"]
    assert archive.name == f"street-{study_hash[:8]}.tar.gz"
    assert hashlib.sha256(archive.read_bytes()).hexdigest() in done.stdout
    done = tournament("export", street / "r", "--out", os.fspath(tmp_path), cwd=tmp_path, expect=2)
    assert "is a folder" in done.stderr
    done = tournament("export", street / "r", "--out", "nowhere/x.tar.gz", cwd=tmp_path, expect=2)
    assert "there is no folder nowhere" in done.stderr
