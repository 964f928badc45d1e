"""What a route's tokens cost: the entry's own price, else litellm's map under the entry's model name.

The name in the answer is never input_usd: a reply that calls itself a cheaper model was still bought under
the configured one. An unknown price is None, not zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from agents.routes.entry import Price, RouteEntry
from tournament.records import Usage

MILLION: Final = 1_000_000
# Beside the text itself a message carries a few tokens of a chat template.
TEMPLATE_TOKENS: Final = 64
# litellm resolves these providers by logging in to them, also where only a price is input_usd.
_LOGIN: Final = ("github_copilot", "chatgpt")


class Tariff(Protocol):
    """Dollars for tokens: prompt, its parts read from and written to a cache, generated, reasoning part of
    that."""

    def __call__(
        self, *, prompt: int, cached: int, generated: int, reasoning: int, written: int = 0
    ) -> float: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTariff:
    """The entry's price override, under which what is written to a cache is input like all other."""

    price: Price

    def __call__(
        self, *, prompt: int, cached: int, generated: int, reasoning: int, written: int = 0
    ) -> float:
        cached_price = self.price.input if self.price.cached is None else self.price.cached
        dollars = (prompt - cached) * self.price.input + cached * cached_price + generated * self.price.output
        return dollars / MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class MapTariff:
    """litellm's price of one model name, tiers by prompt length included."""

    model: str
    library: Callable[[], Any]

    def __call__(
        self, *, prompt: int, cached: int, generated: int, reasoning: int, written: int = 0
    ) -> float:
        litellm = self.library()
        usage = litellm.Usage(
            prompt_tokens=prompt,
            completion_tokens=generated,
            total_tokens=prompt + generated,
            prompt_tokens_details={"cached_tokens": cached, "cache_creation_tokens": written},
            completion_tokens_details={"reasoning_tokens": reasoning},
        )
        input_usd, output_usd = litellm.cost_per_token(model=self.model, usage_object=usage)
        return float(input_usd + output_usd)


def tariff_of(entry: RouteEntry, library: Callable[[], Any]) -> Tariff | None:
    """Return how the entry's tokens are priced, or None where nobody knows."""
    if entry.price is not None:
        return OwnTariff(price=entry.price)
    if entry.is_mock:
        return OwnTariff(price=Price(input=0.0, output=0.0))
    litellm = library()
    known = map_name(entry.model, litellm.model_cost)
    if known is None or _provider(litellm.model_cost[known]) in _LOGIN:
        return None
    tariff = MapTariff(model=known, library=library)
    try:
        tariff(prompt=1, cached=0, generated=1, reasoning=0)
    except (litellm.BadRequestError, litellm.exceptions.ModelNotMappedError):
        # The map lists names that litellm's own costs do not find.
        return None
    return tariff


def map_name(model: str, known: Any) -> str | None:
    """Return the name under which a price map lists a configured model, of the same provider; None if not."""
    provider, _, rest = model.partition("/")
    for name in (model, rest, model.rpartition("/")[2]):
        if name in known and (name == model or _provider(known[name]).startswith(provider)):
            facts = known[name]
            return name if "input_cost_per_token" in facts or "tiered_pricing" in facts else None
    return None


def _provider(facts: Any) -> str:
    return str(facts["litellm_provider"]) if "litellm_provider" in facts else ""


def cost_usd(tariff: Tariff | None, usage: Usage) -> float | None:
    """Return a reply's dollars; None where the price or a count is unknown."""
    if tariff is None or usage.prompt is None or usage.generated is None:
        return None
    cached = min(usage.cached or 0, usage.prompt)
    return tariff(
        prompt=usage.prompt,
        cached=cached,
        generated=usage.generated,
        reasoning=min(usage.reasoning or 0, usage.generated),
        written=min(usage.written or 0, usage.prompt - cached),
    )


def bound_usd(tariff: Tariff | None, *, prompt_bytes: int, messages: int, ceiling: int) -> float | None:
    """Return the most that a request can cost: no tokenizer makes more tokens than there are bytes."""
    if tariff is None:
        return None
    return _max_usd(tariff, prompt=prompt_bytes + TEMPLATE_TOKENS * (messages + 1), generated=ceiling)


def _max_usd(tariff: Tariff, *, prompt: int, generated: int) -> float:
    """The dearest that these tokens can be: some reasoning costs more than text, most writing to a cache
    more than input."""
    return max(
        tariff(prompt=prompt, cached=0, generated=generated, reasoning=reasoning, written=written)
        for reasoning in (0, generated)
        for written in (0, prompt)
    )


def per_million(tariff: Tariff | None) -> tuple[float, float] | None:
    """Return dollars per million input and output tokens of a short request, for people to read."""
    if tariff is None:
        return None
    # A thousand tokens stay below every tier of length.
    input_usd = tariff(prompt=1000, cached=0, generated=0, reasoning=0)
    output_usd = tariff(prompt=0, cached=0, generated=1000, reasoning=0)
    return input_usd * 1000, output_usd * 1000


def window_usd(tariff: Tariff | None, *, context: int | None, replies: int, generated: int) -> float | None:
    """Return the most that a decision window can cost: every reply with a full context before it.

    None where the price or the model's context length is unknown.
    """
    if tariff is None or context is None:
        return None
    unanswered = _max_usd(tariff, prompt=context, generated=0)
    return (replies - 1) * unanswered + _max_usd(tariff, prompt=context, generated=generated)


def context_of(entry: RouteEntry, library: Callable[[], Any]) -> int | None:
    """Return the context length of an entry's model: its own word, else as litellm's map lists it."""
    if entry.limits.context_tokens is not None:
        return entry.limits.context_tokens
    if entry.is_mock:
        return 0
    known = library().model_cost
    name = map_name(entry.model, known)
    length = known[name].get("max_input_tokens") if name is not None else None
    return length if isinstance(length, int) else None
