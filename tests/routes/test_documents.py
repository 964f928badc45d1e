"""The entries in the documents and the panel study: sound by litellm's tables, and sent where we see it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from agents.routes.adapter.library import litellm
from agents.routes.build import open_routes
from agents.routes.check import problems
from agents.routes.entry import RouteEntry
from agents.routes.mock.faults import BEHAVIOUR, WIRE
from agents.routes.mock.script import read_script
from agents.routes.price import tariff_of
from tests.routes.conftest import QuickClock, RouteCaller
from tests.routes.server import CannedAnswer
from tournament.errors import Suspension
from tournament.study.file import load_study
from tournament.study.plan import plan_study

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "routes.md").read_text(encoding="utf-8")
PANEL = ROOT / "lineups" / "studies" / "panel.yaml"


class AnyKey(dict[str, str]):
    """An environment in which every key is set."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> str:
        return "sk-set-0123456789"


def documented() -> list[RouteEntry]:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    return [RouteEntry.model_validate(item) for block in blocks for item in YAML(typ="safe").load(block)]


def panel() -> list[RouteEntry]:
    routes = YAML(typ="safe").load((PANEL.parent / "routes.yaml").read_text(encoding="utf-8"))
    return [RouteEntry.model_validate(item) for item in routes["routes"]]


ENTRIES = [*documented(), *panel()]


def test_every_provider_that_is_promised_has_an_entry():
    providers = {entry.model.split("/")[0] for entry in documented()}
    assert providers >= {
        "openai", "anthropic", "gemini", "deepseek", "dashscope", "volcengine", "openrouter", "bedrock",
        "hosted_vllm", "ollama_chat", "mock",
    }  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_an_entry_is_sound_and_priced(entry):
    assert [str(problem) for problem in problems([entry], AnyKey(), priced=True)] == []


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("entry", [item for item in ENTRIES if not item.is_mock], ids=lambda entry: entry.id)
async def test_its_request_leaves_the_machine_once_and_where_we_see_it(provider, entry, tmp_path):
    provider.answer_with(CannedAnswer(status=500, body=b'{"error": {"message": "sorry"}}'))
    moved = entry.model_copy(update={"api_base": f"{provider.address}/v1"})
    once = moved.limits.model_copy(update={"retry": moved.limits.retry.model_copy(update={"attempts": 1})})
    moved = moved.model_copy(update={"limits": once})
    clock = QuickClock()
    speech = RouteCaller(
        open_routes([moved], environment=AnyKey(), folder=tmp_path, clock=clock)[moved.id], clock
    )
    with pytest.raises(Suspension, match="server_error") as stopped:
        await speech.complete()
    assert stopped.value.kind == "transport"
    assert speech.attempts[0].status == 500
    assert len(provider.requests) == 1
    sent = json.dumps(provider.requests[0])
    for value in entry.options.values():
        assert json.dumps(value) in sent, "what only the provider knows is sent as it is"


def test_the_scripted_example_is_a_script(tmp_path):
    script = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert script is not None
    (tmp_path / "replies.json").write_text(script[1], encoding="utf-8")
    assert len(read_script(tmp_path / "replies.json").rules) == 3


def test_every_fault_on_demand_is_documented_and_no_other():
    table = PAGE[PAGE.index("| faults of the wire") :]
    assert set(re.findall(r"`([a-z_]+)`", table)) == {*WIRE, *BEHAVIOUR}


def test_the_panel_plans_and_prices_without_a_key():
    from tournament.cli.services import cost_bounds

    study = load_study(PANEL, RouteEntry.model_validate)
    assert len(study.worlds()) == 27
    assert [study.contestants[name].route for name in study.design.lineup] == [entry.id for entry in panel()]
    cost = plan_study(study, jobs=1, live_worlds=8, bounds=cost_bounds(study)).cost
    assert cost.unknown == ()
    assert cost.tokens == 131_072 * 72 * 8 * 24
    assert cost.usd is not None
    assert cost.usd > 0


def test_prices_of_the_panel_do_not_depend_on_the_hour():
    flash = next(entry for entry in panel() if entry.id == "deepseek-v4-flash")
    tariff = tariff_of(flash, litellm)
    assert tariff is not None
    listed = litellm().model_cost["deepseek/deepseek-v4-flash"]
    assert tariff(prompt=1000, cached=0, generated=0, reasoning=0) == pytest.approx(
        1000 * listed["input_cost_per_token"]
    )


@pytest.mark.parametrize("page", ["README.md", "docs/harness.md"])
def test_an_example_of_a_study_with_routes_loads_as_it_is_printed(page, tmp_path):
    """Each block is a part of a study: what it leaves out is added, nothing in it is changed."""
    (block,) = (
        block
        for block in re.findall(r"```yaml\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
        if "llm@1" in block
    )
    text = "study: printed\nmarket: ceo_arena@1\nseeds: [11]\nlineup: [astra, rival]\n"
    text += "references: [{contestant: rule}]\n" + block
    text = text.replace("contestants:\n", "contestants:\n  rival: {policy: premium@1}\n", 1)
    if "rule@1" not in block:
        text = text.replace("contestants:\n", "contestants:\n  rule: {policy: rule@1}\n", 1)
    if "routes:" not in block:
        text += "routes: {gpt-6-astra: {model: openai/gpt-6-astra, key_env: OPENAI_API_KEY}}\n"
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    study = load_study(tmp_path / "study.yaml", RouteEntry.model_validate)
    assert study.contestants["astra"].route == "gpt-6-astra"
    entry = RouteEntry.model_validate(study.routes["gpt-6-astra"])
    assert entry.key_variables == {"api_key": "OPENAI_API_KEY"}
