"""What a route's tokens cost: the entry's own price, else litellm's map under the entry's model name.

The name in the answer is never priced: a reply that calls itself a cheaper model was still bought under
the configured one. What is priced is what was bought: a service tier, a speed or a place without a price of
its own makes a cost unknown, never the list price. An unknown price is None, not zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Protocol

from agents.routes.entry import Price, PriceTable, Rates, RouteEntry
from agents.routes.prompt_marks import marks_prompts
from agents.routes.terms import asked_terms, is_open_tier
from tournament.records import Usage

MILLION: Final = 1_000_000
# Beside the text itself a message carries a few tokens of a chat template.
TEMPLATE_TOKENS: Final = 64
# litellm resolves these providers by logging in to them, also where only a price is asked for.
_LOGIN: Final = ("github_copilot", "chatgpt")
# What writing to a cache costs of an input token where an entry's own price is silent, for five minutes and for
# an hour: Anthropic's published multiples, for routes that mark what is to be cached.
WRITTEN_FACTOR: Final = 1.25
WRITTEN_1H_FACTOR: Final = 2.0
_TIER_KEY: Final = "input_cost_per_token_"
_FACTORS_KEY: Final = "provider_specific_entry"

Terms = tuple[str, ...]


class Tariff(Protocol):
    """Dollars for tokens: prompt, its parts read from and written to a cache, generated, reasoning part of
    that. `written_1h` is the part of `written` that is kept for an hour, `terms` what is bought beside the list
    price."""

    @property
    def asked(self) -> Terms:
        """The terms that the route asks for."""
        ...

    @property
    def possible(self) -> tuple[Terms, ...]:
        """Every set of terms that a request may be served under, as far as there are prices."""
        ...

    def lacking(self, terms: Iterable[str]) -> Terms:
        """Return those of the terms that have no price."""
        ...

    def __call__(
        self,
        *,
        prompt: int,
        cached: int,
        generated: int,
        reasoning: int,
        written: int = 0,
        written_1h: int = 0,
        terms: Terms = (),
    ) -> float: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTariff:
    """The entry's price override; `marks` tells that the route marks what is to be written to a cache."""

    price: Price
    marks: bool = False
    asked: Terms = ()
    open_tier: bool = False

    @property
    def possible(self) -> tuple[Terms, ...]:
        return _possible(self, self.price.tiers.keys() if self.open_tier else ())

    def lacking(self, terms: Iterable[str]) -> Terms:
        return tuple(
            term for term in terms if term not in self.price.tiers and term not in self.price.factors
        )

    def __call__(
        self,
        *,
        prompt: int,
        cached: int,
        generated: int,
        reasoning: int,
        written: int = 0,
        written_1h: int = 0,
        terms: Terms = (),
    ) -> float:
        tiers = [self.price.tiers[term] for term in terms if term in self.price.tiers]
        rates = _rates(tiers[0] if tiers else self.price, prompt)
        short, long = self._writing(rates)
        dollars = (
            (prompt - cached - written) * rates.input
            + cached * (rates.input if rates.cached is None else rates.cached)
            + (written - written_1h) * short
            + written_1h * long
            + generated * rates.output
        ) / MILLION
        for term in terms:
            if term not in self.price.tiers:
                dollars *= self.price.factors[term]
        return dollars

    def _writing(self, rates: Rates) -> tuple[float, float]:
        """Dollars per million tokens written for five minutes and for an hour."""
        usual = rates.input * WRITTEN_FACTOR if self.marks else rates.input
        short = usual if rates.written is None else rates.written
        usual_1h = max(short, rates.input * WRITTEN_1H_FACTOR) if self.marks else short
        return short, usual_1h if rates.written_1h is None else rates.written_1h


def _rates(table: PriceTable, prompt: int) -> Rates:
    """The rates of the highest step that a prompt passes: all tokens of its request cost so."""
    passed = [step for step in table.above if prompt > step.tokens]
    return max(passed, key=lambda step: step.tokens) if passed else table


@dataclass(frozen=True, slots=True, kw_only=True)
class MapTariff:
    """litellm's price of one model name, steps by prompt length included."""

    model: str
    library: Callable[[], Any]
    asked: Terms = ()
    open_tier: bool = False

    @property
    def possible(self) -> tuple[Terms, ...]:
        return _possible(self, self._tiers() if self.open_tier else ())

    def lacking(self, terms: Iterable[str]) -> Terms:
        factors = self._factors()
        return tuple(term for term in terms if not self._has_tier(term) and term not in factors)

    def __call__(
        self,
        *,
        prompt: int,
        cached: int,
        generated: int,
        reasoning: int,
        written: int = 0,
        written_1h: int = 0,
        terms: Terms = (),
    ) -> float:
        litellm = self.library()
        parts = {
            "ephemeral_5m_input_tokens": written - written_1h,
            "ephemeral_1h_input_tokens": written_1h,
        }
        usage = litellm.Usage(
            prompt_tokens=prompt,
            completion_tokens=generated,
            total_tokens=prompt + generated,
            prompt_tokens_details={
                "cached_tokens": cached,
                "cache_creation_tokens": written,
                **({"cache_creation_token_details": parts} if written_1h else {}),
            },
            completion_tokens_details={"reasoning_tokens": reasoning},
        )
        tier = next((term for term in terms if self._has_tier(term)), None)
        dollars = float(sum(litellm.cost_per_token(model=self.model, usage_object=usage, service_tier=tier)))
        factors = self._factors()
        for term in terms:
            if term != tier:
                dollars *= factors[term]
        return dollars

    def _facts(self) -> Any:
        return self.library().model_cost[self.model]

    def _has_tier(self, term: str) -> bool:
        return f"{_TIER_KEY}{term}" in self._facts() and term in _tier_names()

    def _tiers(self) -> Iterator[str]:
        return (term for term in _tier_names() if self._has_tier(term))

    def _factors(self) -> dict[str, float]:
        listed = self._facts().get(_FACTORS_KEY) or {}
        return {name: float(value) for name, value in listed.items() if isinstance(value, (int, float))}


def _tier_names() -> tuple[str, ...]:
    """The tiers that litellm's own costs tell apart."""
    return ("flex", "balanced", "priority", "ultrafast")


def _possible(tariff: Tariff, tiers: Iterable[str]) -> tuple[Terms, ...]:
    """Whatever is asked for may not be served; an open tier may be served as any that has a price."""
    asked = tuple(term for term in tariff.asked if not tariff.lacking((term,)))
    parts = [part for count in range(len(asked) + 1) for part in combinations(asked, count)]
    return (*parts, *((tier, *part) for tier in tiers for part in parts if tier not in part))


def tariff_of(entry: RouteEntry, library: Callable[[], Any]) -> Tariff | None:
    """Return how the entry's tokens are priced, or None where nobody knows."""
    asked = tuple(asked_terms(entry).values())
    if entry.price is not None:
        return OwnTariff(
            price=entry.price, marks=marks_prompts(entry), asked=asked, open_tier=is_open_tier(entry)
        )
    if entry.is_mock:
        return OwnTariff(price=Price(input=0.0, output=0.0))
    litellm = library()
    known = map_name(entry.model, litellm.model_cost)
    if known is None or _provider(litellm.model_cost[known]) in _LOGIN:
        return None
    tariff = MapTariff(model=known, library=library, asked=asked, open_tier=is_open_tier(entry))
    try:
        tariff(prompt=1, cached=0, generated=1, reasoning=0)
    except (litellm.BadRequestError, litellm.exceptions.ModelNotMappedError):
        # The map lists names that litellm's own costs do not find.
        return None
    return tariff


def unpriced_terms(entry: RouteEntry, tariff: Tariff | None) -> dict[str, str]:
    """Return the terms that an entry asks for, by field, and that have no price though its model has one."""
    if tariff is None or entry.is_mock:
        return {}
    return {field: term for field, term in asked_terms(entry).items() if tariff.lacking((term,))}


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
    """Return a reply's dollars; None where the price of what was bought or a count is unknown."""
    if tariff is None or usage.prompt is None or usage.generated is None or tariff.lacking(usage.terms):
        return None
    cached = min(usage.cached or 0, usage.prompt)
    written = min(usage.written or 0, usage.prompt - cached)
    return tariff(
        prompt=usage.prompt,
        cached=cached,
        generated=usage.generated,
        reasoning=min(usage.reasoning or 0, usage.generated),
        written=written,
        written_1h=min(usage.written_1h or 0, written),
        terms=usage.terms,
    )


def bound_usd(tariff: Tariff | None, *, prompt_bytes: int, messages: int, ceiling: int) -> float | None:
    """Return the most that a request can cost: no tokenizer makes more tokens than there are bytes."""
    if tariff is None:
        return None
    return _max_usd(tariff, prompt=prompt_bytes + TEMPLATE_TOKENS * (messages + 1), generated=ceiling)


def _max_usd(tariff: Tariff, *, prompt: int, generated: int) -> float:
    """The dearest that these tokens can be: some reasoning costs more than text, most writing to a cache
    more than input, and what was asked for may be served otherwise."""
    return max(
        tariff(
            prompt=prompt,
            cached=0,
            generated=generated,
            reasoning=reasoning,
            written=written,
            written_1h=written_1h,
            terms=terms,
        )
        for reasoning in (0, generated)
        for written, written_1h in ((0, 0), (prompt, 0), (prompt, prompt))
        for terms in tariff.possible
    )


def per_million(tariff: Tariff | None) -> tuple[float, float] | None:
    """Return dollars per million input and output tokens of a short request as asked for, for people to read."""
    if tariff is None or tariff.lacking(tariff.asked):
        return None
    terms = tariff.asked
    # A thousand tokens stay below every tier of length.
    input_usd = tariff(prompt=1000, cached=0, generated=0, reasoning=0, terms=terms)
    output_usd = tariff(prompt=0, cached=0, generated=1000, reasoning=0, terms=terms)
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
