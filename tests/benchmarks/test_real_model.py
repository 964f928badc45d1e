"""The rehearsal with a real model, without one: its study is ordinary, its template writes calls bare."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jinja2
import pytest

from agents.routes.check import problems
from agents.routes.entry import RouteEntry
from benchmarks.real_model import (
    KEY,
    TEMPLATE,
    Rehearsal,
    alias_of,
    arguments,
    free_port,
    healthy,
    rehearsal_of,
    served,
    server_command,
    write_study,
)
from tournament.study.file import Study, load_study

TOOL = {"type": "function", "function": {"name": "set_price", "parameters": {"type": "object"}}}
CALL = {"function": {"name": "set_price", "arguments": {"product": "A", "price_cents": 4100}}}


def rehearsal(*given: str) -> Rehearsal:
    named = ["--server", "llama-server", "--model", "small.gguf", "--port", "8400", *given]
    return rehearsal_of(arguments(named), "gguf-0123456789ab")


def loaded(folder: Path, *given: str) -> Study:
    write_study(folder / "study.yaml", rehearsal(*given))
    return load_study(folder / "study.yaml", RouteEntry.model_validate)


def rendered(*messages: dict[str, Any]) -> str:
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    spoken = [{"content": "", "tool_calls": [], **message} for message in messages]
    return template.render(messages=spoken, tools=[TOOL], add_generation_prompt=True)


def test_the_study_seats_the_model_beside_baselines_in_one_world(tmp_path):
    study = loaded(tmp_path, "--seats", "3", "--days", "35", "--budget-replies", "9")
    assert [study.contestants[name].kind.id for name in study.design.lineup] == [
        *["llm@1"] * 3,
        "rule@1",
        "wholesaler@1",
    ]
    assert len(study.worlds()) == 1
    assert study.market.windows == 5
    assert study.contestants["model-3"].parameters.budgets.replies == 9


def test_the_route_is_an_ordinary_one_that_every_check_passes(tmp_path):
    (entry,) = (RouteEntry.model_validate(route) for route in loaded(tmp_path).routes.values())
    assert [str(problem) for problem in problems([entry], {KEY: "set"}, priced=True)] == []
    assert entry.api_base == "http://127.0.0.1:8400/v1"
    assert entry.accepted_ids == {"gguf-0123456789ab"}
    assert entry.params["tool_choice"] == "required"
    assert entry.params["parallel_tool_calls"] is False


def test_the_server_speaks_under_the_name_that_the_route_accepts():
    command = server_command(Path("llama-server"), Path("small.gguf"), rehearsal("--seats", "2"))
    told = dict(zip(command[3::2], command[4::2], strict=True))
    assert command[:3] == ["llama-server", "--jinja", "--offline"]
    assert told["--alias"] == "gguf-0123456789ab"
    assert (told["--host"], told["--port"]) == ("127.0.0.1", "8400")
    assert told["--ctx-size"] == str(2 * 32_768)
    assert Path(told["--chat-template-file"]).is_file()


def test_the_name_is_bound_to_the_weights(tmp_path):
    for name, words in (("a", b"weights"), ("b", b"weights"), ("c", b"others")):
        (tmp_path / name).write_bytes(words)
    names = [alias_of(tmp_path / name)[0] for name in "abc"]
    assert names[0] == names[1] != names[2]


def test_calls_are_written_bare_and_results_in_their_tags():
    text = rendered(
        {"role": "system", "content": "You lead a firm."},
        {"role": "user", "content": "Decide."},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "content": "staged"},
        {"role": "tool", "content": "refused"},
    )
    assert "<tool_call>" not in text
    assert "<|im_start|>system\nYou lead a firm.\n\n# Tools" in text
    call = text.split("<|im_start|>assistant\n")[1].split("<|im_end|>")[0]
    assert json.loads(call) == {"name": "set_price", "arguments": CALL["function"]["arguments"]}
    assert text.endswith(
        "<|im_start|>user\n<tool_response>\nstaged\n</tool_response>"
        "\n<tool_response>\nrefused\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
    )


def test_a_server_that_ends_at_once_is_told_with_its_log(tmp_path):
    command = [sys.executable, "-c", "print('no such model'); raise SystemExit(3)"]
    with (
        pytest.raises(SystemExit, match=r"ended with 3.*server\.log"),
        served(command, free_port(), "key", tmp_path / "server.log"),
    ):
        pass
    assert "no such model" in (tmp_path / "server.log").read_text(encoding="utf-8")


def test_the_server_is_awaited_and_ended_with_the_rehearsal(tmp_path):
    (tmp_path / "health").write_text("ok", encoding="utf-8")
    port = free_port()
    command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", tmp_path]
    with served(command, port, "key", tmp_path / "server.log"):
        assert healthy(port)
    assert not healthy(port)


@pytest.mark.parametrize("missing", ["--server", "--model"])
def test_a_file_that_is_not_there_is_named_in_one_line(tmp_path, missing):
    there = tmp_path / "there"
    there.write_bytes(b"")
    there.chmod(0o755)
    named = {"--server": there, "--model": there, missing: tmp_path / "absent"}
    command = [sys.executable, "-m", "benchmarks.real_model"]
    for option, path in named.items():
        command += [option, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert (
        done.stderr
        == f"{missing} {named[missing]}: no such file; docs/real-model.md tells where to get one\n"
    )
