"""Field cases of price: what was bought is what is priced, in a bound by what was asked, or the entry is refused."""

from __future__ import annotations

import pytest

from agents.routes.adapter.library import litellm
from agents.routes.adapter.usage import counts, read_usage, told_usd
from agents.routes.check import problems
from agents.routes.price import bound_usd, cost_usd, tariff_of
from tests.routes.server import reply
from tests.routes.test_entry import entry
from tests.strict.page import cases
from tournament.records import Usage

CASES = {case["id"]: case["minimal_input"] for case in cases()}
MILLION = 1_000_000
pytestmark = pytest.mark.asyncio(loop_scope="session")


def wrong(**said):
    return [str(item) for item in problems([entry(**said)], {"K": "k"})]


async def answered(call_route, provider, case, **said):
    """Ask through the route of a case, and answer as the case says; the price is litellm's."""
    given = {key: value for key, value in CASES[case]["entry"].items() if key != "id"}
    provider.answer_with(reply(CASES[case]["answer"]))
    caller = call_route(**{**given, **said})
    return caller, await caller.complete()


@pytest.mark.parametrize(
    ("case", "usd"),
    [
        ("PRI-01", 1000 * 1.25e-6 + 1000 * 10e-6),
        ("PRI-02", 1000 * 3.5e-6 + 1000 * 14e-6),
        ("PRI-04", 1000 * 0.025e-6 + 1000 * 0.2e-6),
        ("PRI-05", 2.0 * (1000 * 5e-6 + 1000 * 25e-6)),
        ("PRI-06", 1.1 * (1000 * 5e-6 + 1000 * 25e-6)),
        ("PRI-08", 300_000 * 2.5e-6 + 1000 * 15e-6),
        ("PRI-09", 0.4 * 3.75 + 0.6 * 6.0 + 15e-6),
    ],
)
async def test_a_reply_costs_what_its_terms_cost_and_no_more_than_its_bound(call_route, provider, case, usd):
    caller, got = await answered(call_route, provider, case)
    assert got.cost_usd == pytest.approx(usd)
    tokens = got.usage.prompt + got.usage.generated
    assert bound_usd(caller.route.tariff, prompt_bytes=tokens, messages=1, ceiling=tokens) >= got.cost_usd


async def test_a_bound_looks_at_the_tier_asked_though_another_is_served(call_route, provider):
    caller, got = await answered(call_route, provider, "PRI-01")
    bound = bound_usd(caller.route.tariff, prompt_bytes=0, messages=0, ceiling=1000)
    assert bound >= 1000 * 20e-6
    assert got.usage.terms == ()


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({"model": "openai/gpt-5-nano", "params": {"service_tier": "priority"}}, "params.service_tier"),
        (
            {"price": {"input": 1.0, "output": 2.0}, "params": {"service_tier": "flex"}},
            "params.service_tier",
        ),
        (
            {
                "model": "anthropic/claude-sonnet-4-5",
                "transport": "messages",
                "options": {"speed": "fast"},
            },
            "options",
        ),
        ({"options": {"extra_body": {"service_tier": "scale"}}}, "options"),
    ],
)
async def test_terms_without_a_price_of_their_own_are_refused_at_check(said, place):
    found = [text for text in wrong(**said) if "no price is known" in text]
    assert len(found) == 1
    assert found[0].startswith(f"routes.one.{place}: ")


async def test_an_entrys_own_tiers_factors_steps_and_cache_writes_are_its_price():
    price = {
        "input": 2.0, "output": 8.0, "cached": 0.2, "written": 2.5, "written_1h": 4.0,
        "above": [{"tokens": 200_000, "input": 4.0, "output": 16.0}],
        "tiers": {"priority": {"input": 4.0, "output": 16.0}},
        "factors": {"fast": 2.0, "us": 1.1},
    }  # fmt: skip
    one = entry(price=price, params={"service_tier": "priority"})
    assert wrong(price=price, params={"service_tier": "priority"}) == []
    tariff = tariff_of(one, litellm)
    used = Usage(prompt=100_000, cached=10_000, written=50_000, written_1h=20_000, generated=1000)
    usual = (40_000 * 2.0 + 10_000 * 0.2 + 30_000 * 2.5 + 20_000 * 4.0 + 1000 * 8.0) / MILLION
    assert cost_usd(tariff, used) == pytest.approx(usual)

    def costs(terms, prompt=100_000):
        return cost_usd(tariff, Usage(prompt=prompt, generated=1000, terms=terms))

    assert costs(("priority",)) == pytest.approx(0.416)
    assert costs(("fast", "us")) == pytest.approx(0.208 * 2.2)
    assert costs((), 300_000) == pytest.approx(1.216)
    assert costs(("batch",)) is None


async def test_a_tier_that_nobody_asked_for_and_nobody_prices_makes_the_reply_unpriced(call_route, provider):
    body = CASES["PRI-03"]["body"]
    provider.answer_with(reply(body))
    got = await call_route().complete()
    assert (got.cost_usd, got.usage.terms, got.told_usd) == (None, ("priority",), 8.775e-06)


async def test_what_a_provider_says_that_it_cost_is_kept_beside_our_price(call_route, provider):
    provider.answer_with(reply(CASES["PRI-07"]["body"]))
    got = await call_route().complete()
    assert got.told_usd == pytest.approx(0.0360795)
    assert got.cost_usd == pytest.approx((9171 * 3.0 + 113 * 15.0) / MILLION)
    assert told_usd({"usage": {"cost_in_usd_ticks": 25_000_000}}) == pytest.approx(0.0025)
    assert told_usd({"usage": {"prompt_tokens": 3}}) is None


@pytest.mark.parametrize("name", ["cached_tokens", "prompt_cache_hit_tokens"])
async def test_cached_tokens_are_read_beside_the_counts_too(name):
    found = counts({"prompt_tokens": 100, "completion_tokens": 1, name: 60})
    assert (found.prompt, found.cached) == (100, 60)
    usage = read_usage(found, reported=True, has_output=True)
    tariff = tariff_of(entry(price={"input": 10.0, "output": 0.0, "cached": 1.0}), litellm)
    assert cost_usd(tariff, usage) == pytest.approx((40 * 10.0 + 60 * 1.0) / MILLION)


async def test_a_chat_request_says_that_it_is_not_to_be_streamed(call_route, provider):
    provider.answer_with(reply(CASES["PRI-07"]["body"]))
    await call_route(options={"extra_body": {"top_k": 3}}).complete()
    assert provider.requests[-1]["stream"] is False
    assert provider.requests[-1]["top_k"] == 3


def marks(value):
    """Count the marks for a cache in a request."""
    if isinstance(value, dict):
        return ("cache_control" in value) + sum(marks(item) for item in value.values())
    return sum(marks(item) for item in value) if isinstance(value, list) else 0


SAID = (
    {"role": "system", "content": "S"},
    {"role": "user", "content": "one"},
    {"role": "assistant", "content": "two"},
    {"role": "user", "content": "three"},
)


@pytest.mark.parametrize("transport", ["messages", "chat"])
async def test_the_stable_beginning_of_a_prompt_is_marked_for_anthropics_cache(
    call_route, provider, transport
):
    provider.answer_with(reply(CASES["PRI-09"]["answer"]))
    said = {"model": "anthropic/claude-sonnet-4-5", "transport": transport}
    base = provider.address if transport == "messages" else f"{provider.address}/v1/messages"
    await call_route(**said, api_base=base).complete(*SAID)
    sent = provider.requests[-1]
    assert marks(sent) == 3
    assert marks(sent["system"]) == 1
    assert [marks(turn) for turn in sent["messages"]] == [1, 0, 1]
    await call_route(**said, api_base=base, prompt_cache="off").complete(*SAID)
    assert marks(provider.requests[-1]) == 0
