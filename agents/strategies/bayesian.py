"""Bayesian demand learner: keeps a posterior over each product's price response and prices on it.

After the Bayesian export compounder of Business Arena (Appendix J): every product is "an uncertain
opportunity", beliefs are updated with public prices and realised sales, early cycles explore while
uncertainty is large, and profitable sales fund what expands them. The model is a Gaussian regression of
log demand on the log of own price over the rivals' median, with a Gaussian prior on the elasticity and
old weeks forgotten (West and Harrison 1997, Bayesian Forecasting and Dynamic Models, discounting).
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import Annotated, Final

from pydantic import Field

from agents.strategies.reading import (
    demand_rates,
    expansion,
    gross_margin,
    order_up_to,
    rival_median,
    running_projects,
)
from agents.strategy import Facts, Move, Parameters, Strategy
from agents.vocabulary import PRODUCTS, SEGMENTS, budget, marketing_plan, priced
from tournament.records import Json


class BayesianParameters(Parameters):
    """Prior, noise and forgetting of the demand model; exploration; shares of margin reinvested."""

    elasticity: Annotated[float, Field(lt=-1)] = -2.5
    spread: Annotated[float, Field(gt=0)] = 0.25
    noise: Annotated[float, Field(gt=0)] = 0.3
    memory: Annotated[float, Field(gt=0, lt=1)] = 0.95
    unsure: Annotated[float, Field(ge=0, le=1)] = 0.8
    probe: Annotated[float, Field(ge=0, lt=0.3)] = 0.03
    development_share: Annotated[float, Field(ge=0, le=1)] = 0.06
    advertising_share: Annotated[float, Field(ge=0, le=1)] = 0.10
    reserve_cents: Annotated[int, Field(ge=0)] = 15_000_000


Sums = dict[str, float]


def decide(learner: BayesianParameters, facts: Facts, memo: Json) -> Move:
    """Update beliefs, price at the posterior optimum (probing while unsure), reinvest what sales earn."""
    beliefs = {j: _updated(learner, facts, j, memo) for j in PRODUCTS}
    rates = demand_rates(facts)
    weekly = gross_margin(facts)
    growing = facts["days_left"] > 110
    development = learner.development_share * weekly / 7 if growing else 0.0
    advertising = int(learner.advertising_share * weekly / 7 / 3) if facts["days_left"] > 28 else 0
    worth = {
        j: rates[j] * (facts["products"][j]["list_price"] - facts["products"][j]["cost"]) for j in PRODUCTS
    }
    total = max(1.0, sum(worth.values()))
    decision: dict[str, Json] = {
        "prices": {j: _price(learner, facts, j, beliefs[j]) for j in PRODUCTS},
        "reorder_targets": {j: order_up_to(facts, j, rates[j], 2.0) for j in PRODUCTS},
        "development": {j: budget((3_000 * growing + development) * worth[j] / total) for j in PRODUCTS},
        "marketing": marketing_plan(dict.fromkeys(SEGMENTS, advertising)),
        "reliability": 4_000,
        "support": 6_000,
    }
    middle = facts["innovation"][1]
    if (
        running_projects(facts) < 2
        and growing
        and facts["days_left"] > 2.5 * middle["median_days"]
        and (facts["cash_cents"] - middle["price_cents"] > learner.reserve_cents)
    ):
        decision["innovation"] = [middle["tier"]]
    sold = sum(rates.values())
    capacity = expansion(facts, 1.15 * sold, weekly / 7 / max(sold, 1.0), learner.reserve_cents)
    if capacity is not None:
        decision["capacity"] = capacity
    return Move(decision=decision, memo=beliefs)


def _updated(learner: BayesianParameters, facts: Facts, product: str, memo: Json) -> Sums:
    """Discounted sums of the regression: weight, x, y, xx, xy of log price ratio x and log daily demand y."""
    sums: Sums = dict.fromkeys(("n", "x", "y", "xx", "xy"), 0.0) if memo is None else dict(memo[product])
    recent = facts["recent"]
    if recent is None:
        return sums
    own = facts["policy"]["prices"][product]
    x = log(own / rival_median(facts, product))
    y = log((recent["products"][product]["demand"] + 0.5) / 7)
    seen = {"n": 1.0, "x": x, "y": y, "xx": x * x, "xy": x * y}
    return {name: learner.memory * sums[name] + seen[name] for name in sums}


def posterior(learner: BayesianParameters, sums: Sums) -> tuple[float, float]:
    """Return mean and standard deviation of the elasticity given the sums."""
    precision = 1 / learner.spread**2
    if sums["n"] < 1:
        return learner.elasticity, learner.spread
    sxx = sums["xx"] - sums["x"] ** 2 / sums["n"]
    sxy = sums["xy"] - sums["x"] * sums["y"] / sums["n"]
    weight = sxx / learner.noise**2 + precision
    return (sxy / learner.noise**2 + learner.elasticity * precision) / weight, 1 / sqrt(weight)


def _price(learner: BayesianParameters, facts: Facts, product: str, sums: Sums) -> int:
    """The monopoly mark-up at the posterior mean, between 85 and 125 % of list, probed while unsure."""
    mean, deviation = posterior(learner, sums)
    terms = facts["products"][product]
    wanted = terms["cost"] * mean / (mean + 1) if mean < -1.5 else 3 * terms["cost"]
    bounded = max(0.85 * terms["list_price"], min(1.25 * terms["list_price"], wanted))
    side = 1 if (facts["window"] + PRODUCTS.index(product)) % 2 else -1
    probing = learner.probe * side if deviation > learner.unsure * learner.spread else 0.0
    return priced(facts, product, bounded * exp(probing))


BAYESIAN: Final = Strategy(
    id="bayesian@1",
    summary="learns each product's price response, prices at the posterior optimum, reinvests margin",
    parameters=BayesianParameters,
    decide=decide,
    traits=("learning", "probes early", "compounds"),
)
