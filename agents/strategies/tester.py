"""Small-test advertiser: tries one cell at a time, keeps what pays its return gate, stops the rest.

After the marketing ladder of Business Arena (Appendix G): policies that "begin with small experiments or
apply explicit return gates" earn several times more per advertising dollar than blind spending, and after
its Figure 19: test small, stop what shows no return, raise what does.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from agents.strategies.reading import demand_rates, gross_margin, order_up_to, segment_rates
from agents.strategy import Facts, Move, Parameters, Strategy
from agents.vocabulary import CHANNELS, PRODUCTS, SEGMENTS, budget, priced
from tournament.records import Json


class TesterParameters(Parameters):
    """Size and length of a test, the return that keeps a cell, and how a kept cell grows."""

    test_cents: Annotated[int, Field(ge=1, le=200_000)] = 3_000
    test_windows: Annotated[int, Field(ge=2)] = 4
    gate: Annotated[float, Field(ge=0)] = 1.2
    growth: Annotated[float, Field(ge=1)] = 1.5
    most_cents: Annotated[int, Field(ge=1, le=200_000)] = 9_000
    development_cents: Annotated[int, Field(ge=0, le=200_000)] = 4_000


CELLS: Final = tuple((s, k) for k in reversed(CHANNELS) for s in SEGMENTS)


def decide(tester: TesterParameters, facts: Facts, memo: Json) -> Move:
    """Run the test that is due, read it against its baseline at the end, and fund the cells that passed."""
    state = _tested(tester, facts, memo)
    marketing = {s: dict.fromkeys(CHANNELS, 0) for s in SEGMENTS}
    if facts["days_left"] > 28:
        for name, cents in state["kept"].items():
            segment, channel = name.split("/")
            marketing[segment][channel] = budget(cents)
        segment, channel = CELLS[state["cell"]]
        marketing[segment][channel] = max(marketing[segment][channel], _trial(tester, state))
    rates = demand_rates(facts)
    develops = facts["days_left"] > 150
    return Move(
        decision={
            "prices": {j: priced(facts, j, facts["products"][j]["list_price"]) for j in PRODUCTS},
            "reorder_targets": {j: order_up_to(facts, j, rates[j], 2.0) for j in PRODUCTS},
            "development": dict.fromkeys(PRODUCTS, budget(tester.development_cents * develops)),
            "marketing": marketing,
            "reliability": 3_000,
            "support": 5_000,
        },
        memo=state,
    )


def _tested(tester: TesterParameters, facts: Facts, memo: Json) -> dict[str, Any]:
    """The running test after one more window: its cell, its age, its baseline, and the cells kept so far."""
    recent = facts["recent"]
    if recent is None or memo is None:
        return {"cell": 0, "age": 0, "baseline": None, "kept": {}}
    segment, channel = CELLS[memo["cell"]]
    rate = segment_rates(recent)[segment]
    if memo["baseline"] is None:
        return {**memo, "age": 1, "baseline": rate}
    if memo["age"] < tester.test_windows:
        return {**memo, "age": memo["age"] + 1}
    kept = dict(memo["kept"])
    name = f"{segment}/{channel}"
    spent = _trial(tester, memo)
    if (rate - memo["baseline"]) * _unit_margin(facts) >= tester.gate * (spent - kept.get(name, 0)):
        kept[name] = spent
    else:
        kept.pop(name, None)
    return {"cell": (memo["cell"] + 1) % len(CELLS), "age": 0, "baseline": None, "kept": kept}


def _trial(tester: TesterParameters, state: dict[str, Any]) -> int:
    """The budget under test: small for a new cell, one step up for a kept one; nothing before a baseline."""
    kept = state["kept"].get("/".join(CELLS[state["cell"]]), 0)
    if state["baseline"] is None:
        return int(kept)
    return int(min(tester.most_cents, tester.growth * kept) if kept else tester.test_cents)


def _unit_margin(facts: Facts) -> float:
    """Cents of gross margin a delivered unit in the last window."""
    delivered = sum(facts["recent"]["products"][j]["delivered"] for j in PRODUCTS)
    return gross_margin(facts) / float(max(delivered, 1))


TESTER: Final = Strategy(
    id="tester@1",
    summary="small tests: advertises one cell at a time and keeps what passes a return gate",
    parameters=TesterParameters,
    decide=decide,
    traits=("experiments", "return gate", "list price"),
)
