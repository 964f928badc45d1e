"""Event swing trader: reads which way demand has swung, and leans in only once a second source agrees.

After the event swing trader of Business Arena (Appendix J) and its event ladder (Appendix G): acting
when "public evidence corroborates an event" beats both ignoring events and chasing every signal. The
first source is the mix of its own customers against its slow average, the second a purchased report.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from agents.strategies.reading import (
    can_stock,
    can_win,
    demand_rates,
    expansion,
    gross_margin,
    order_up_to,
    segment_rates,
)
from agents.strategy import Facts, Move, Parameters, Strategy
from agents.vocabulary import PRODUCTS, SEGMENTS, Segment, budget, marketing_plan, priced
from tournament.records import Json


class SwingParameters(Parameters):
    """What counts as a swing, how long a suspicion waits for its proof, and how far the firm leans."""

    suspicion: Annotated[float, Field(gt=0)] = 0.15
    proof: Annotated[float, Field(gt=0)] = 0.10
    lean: Annotated[float, Field(ge=0, lt=0.5)] = 0.06
    bid: Annotated[float, Field(gt=0, le=1)] = 0.92
    slowness: Annotated[float, Field(gt=0, lt=1)] = 0.94
    research_every: Annotated[int, Field(ge=1)] = 12
    advertising_cents: Annotated[int, Field(ge=0, le=600_000)] = 6_000
    reserve_cents: Annotated[int, Field(ge=0)] = 20_000_000


# The segment whose customers gain weight in a swing, and the product that they buy most.
FAVOURITE: Final[dict[Segment, str]] = {"mainstream": "B", "premium": "C", "value": "A"}


def decide(trader: SwingParameters, facts: Facts, memo: Json) -> Move:
    """Lean prices, stock and advertising towards a swing that own sales and a report both show."""
    state = _watched(trader, facts, memo)
    swing = state["swing"]
    proven = swing is not None and state["proven"]
    rates = demand_rates(facts)
    prices, targets = {}, {}
    for j in PRODUCTS:
        favoured = proven and FAVOURITE[swing] == j
        lean = (-trader.lean if swing == "value" else trader.lean) if favoured else 0.0
        prices[j] = priced(facts, j, facts["products"][j]["list_price"] * (1 + lean))
        targets[j] = order_up_to(facts, j, rates[j] * (1.3 if favoured else 1.0), 3.0)
    events = [tender for tender in facts["tenders"] if can_win(facts, tender) or can_stock(facts, tender)]
    for tender in events:
        targets[tender["product"]] += tender["quantity"]
    advertising = trader.advertising_cents if facts["days_left"] > 21 else 0
    spent: dict[Segment, int] = {"mainstream": advertising}
    if proven:
        spent[swing] = spent.get(swing, 0) + 2 * advertising
    growing = facts["days_left"] > 150
    decision: dict[str, Json] = {
        "prices": prices,
        "reorder_targets": targets,
        "development": dict.fromkeys(PRODUCTS, budget(5_000 * growing)),
        "marketing": marketing_plan(spent),
        "reliability": 3_000,
        "support": 5_000 + (5_000 if proven and swing == "mainstream" else 0),
        "bids": {str(tender["tender"]): int(trader.bid * tender["reservation_cents"]) for tender in events},
    }
    if swing is not None and not proven and _may_ask(trader, facts, state):
        decision["research"] = [swing]
        state = {**state, "asked": facts["window"]}
    sold = sum(rates.values())
    capacity = expansion(facts, 1.1 * sold, gross_margin(facts) / 7 / max(sold, 1.0), trader.reserve_cents)
    if capacity is not None:
        decision["capacity"] = capacity
    return Move(decision=decision, memo=state)


def _watched(trader: SwingParameters, facts: Facts, memo: Json) -> dict[str, Any]:
    """The slow average of the customer mix, the segment now above it, and whether a report agrees."""
    recent = facts["recent"]
    if recent is None or memo is None:
        return {"average": None, "swing": None, "proven": False, "asked": -trader.research_every}
    rates = segment_rates(recent)
    total = max(sum(rates.values()), 0.1)
    shares = {s: rates[s] / total for s in SEGMENTS}
    average = shares if memo["average"] is None else memo["average"]
    swings = {s: shares[s] / max(average[s], 0.01) - 1 for s in SEGMENTS}
    widest = max(SEGMENTS, key=lambda s: swings[s])
    swing = widest if swings[widest] > trader.suspicion else None
    slow = {s: trader.slowness * average[s] + (1 - trader.slowness) * shares[s] for s in SEGMENTS}
    return {"average": slow, "swing": swing, "proven": _agrees(trader, facts, swing), "asked": memo["asked"]}


def _agrees(trader: SwingParameters, facts: Facts, swing: str | None) -> bool:
    """Whether the newest report on the segment shows more arrivals than the average of the earlier ones."""
    reports = [r for r in facts["research"] if r["segment"] == swing and r["readable_day"] <= facts["day"]]
    if not reports or facts["day"] - reports[-1]["sampled_day"] > 21:
        return False
    earlier = [r["arrivals"] for r in reports[:-1]]
    expected = sum(earlier) / len(earlier) if earlier else 0.0
    return bool(reports[-1]["arrivals"] > (1 + trader.proof) * expected)


def _may_ask(trader: SwingParameters, facts: Facts, state: dict[str, Any]) -> bool:
    waited: bool = facts["window"] - state["asked"] >= trader.research_every
    return waited and facts["days_left"] > 42 and bool(facts["cash_cents"] > trader.reserve_cents)


SWING: Final = Strategy(
    id="swing@1",
    summary="leans towards a swing in its customer mix once a purchased report corroborates it",
    parameters=SwingParameters,
    decide=decide,
    traits=("event-driven", "corroboration-gated", "research"),
)
