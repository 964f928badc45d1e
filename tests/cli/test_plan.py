"""`tournament plan` says what a study can cost, what bounds it, and what would."""

from __future__ import annotations

from pathlib import Path

from tests.cli.arena import tournament

CAPPED = """\
study: capped
market: {{id: ceo_arena@1, overrides: {{days: 14}}}}
seeds: [11]
contestants:
  rule: {{policy: rule@1}}
  one: {{policy: llm@1, route: endless}}
  two: {{policy: llm@1, route: free}}
lineup: [one, two]
references: [{{contestant: rule}}]
routes:
  - {{id: endless, model: openai/model-of-nobody, api_base: "http://127.0.0.1:9/v1"{price}}}
  - {{id: free, model: mock/rule}}
{limits}
"""
PRICED = ", price: {input: 1, output: 2}"


def planned(folder: Path, **given: str) -> str:
    (folder / "study.yaml").write_text(CAPPED.format(**{"price": "", "limits": "", **given}))
    return tournament("plan", "study.yaml", cwd=folder).stdout


def test_a_plan_says_what_a_cap_allows_and_what_would_bound_it_otherwise(tmp_path: Path) -> None:
    told = planned(tmp_path, price=PRICED, limits="limits: {usd: 4}")
    assert "at most $4 (limits.usd)" in told
    assert "price unknown" not in told
    assert "note: nothing bounds the prompts of route endless: give limits.context_tokens" in told
    assert "of active time" in told
    assert "a cap for the study is advised" not in told


def test_a_plan_without_a_cap_advises_one_where_a_route_costs_money(tmp_path: Path) -> None:
    told = planned(tmp_path, price=PRICED)
    assert "dollars unbounded" in told
    assert "note: route endless costs money and no limits.usd is set" in told
    bounded = planned(tmp_path, price=PRICED + ", limits: {context_tokens: 1000}")
    assert "dollars unbounded" not in bounded
    assert "nothing bounds the prompts" not in bounded
    assert "note: no price is known of route endless" in planned(tmp_path)


def test_a_cap_a_world_bounds_a_plan_by_its_worlds(tmp_path: Path) -> None:
    told = planned(tmp_path, price=PRICED, limits="limits: {usd_per_world: 2}")
    assert "at most $6 (limits.usd_per_world in 3 worlds)" in told
