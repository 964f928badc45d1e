"""A decision is checked whole: one wrong item and nothing of it is applied, with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from tests.merchant.worlds import opened
from tournament.errors import InputError
from tournament.records import Tool

SMALL = {"days": 10, "products": 60}
SHELF = {f"P{i:05d}": 3000 for i in range(49)}


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        ({"sell": []}, "unknown field 'sell'"),
        ([], "must be an object"),
        ({"delist": None}, "delist must be a list"),
        ({"delist": ["P00055"]}, "P00055 is not listed now"),
        ({"delist": ["P00001", "P00001"]}, "twice"),
        ({"reprice": {"P00055": 100}}, "P00055 is not listed now"),
        ({"delist": ["P00001"], "reprice": {"P00001": 100}}, "in delist too"),
        ({"list": {"P00001": 100}}, "is listed now"),
        ({"list": {"P00050": 0}}, "from 1 to 1000000"),
        ({"list": {"P00050": 1_000_001}}, "from 1 to 1000000"),
        ({"list": {"P00050": "100"}}, "whole fen"),
        ({"list": {"P00050": True}}, "whole fen"),
        ({"list": {"P00050": 99.5}}, "whole fen"),
        ({"list": {"P00060": 100}}, "not a product"),
        ({"list": {"p00050": 100}}, "not a product"),
        ({"list": {"P00050": 100, "P00051": 100}}, "51 listings"),
        ({"list": None}, "list must be an object"),
    ],
)
def test_one_wrong_item_refuses_the_whole_decision(decision: Any, told: str) -> None:
    world = opened(SMALL, seats=1)
    world.settle([{"list": SHELF}])
    assert told in (world.desk(1).check(decision) or "")
    wrong = decision if isinstance(decision, list) else {"reprice": {"P00002": 1}, **decision}
    settlement = world.settle([wrong])
    assert told in settlement.refusals[1]
    assert [(row.action, row.status) for row in settlement.receipts] == [("decision", "refused")]
    assert all(row["price_cents"] == 3000 for row in world.desk(1).facts()["listings"])


def test_a_product_that_its_supplier_does_not_offer_can_not_be_listed_but_stays_where_it_is() -> None:
    world = opened({"days": 60, "products": 60}, seats=1)
    world.settle([{"list": SHELF}])
    while all(row["available"] for row in world.desk(1).facts()["listings"]):
        world.settle([{}])
    gone = next(row["product"] for row in world.desk(1).facts()["listings"] if not row["available"])
    world.settle([{"delist": [gone]}])
    assert "not available" in (world.desk(1).check({"list": {gone: 100}}) or "")


def test_a_relaunch_starts_a_listings_age_anew_and_a_price_change_does_not() -> None:
    world = opened(SMALL, seats=1)
    world.settle([{"list": {"P00001": 3000.0, "P00002": 3e3}}])
    settlement = world.settle([{"delist": ["P00001"], "reprice": {"P00002": 2900}, "list": {"P00001": 2800}}])
    assert [(row.action, row.detail) for row in settlement.receipts] == [
        ("delist", "P00001"),
        ("reprice", "P00002 at 2900"),
        ("list", "P00001 at 2800"),
    ]
    shelf = {row["product"]: row for row in world.desk(1).facts()["listings"]}
    assert (shelf["P00001"]["listed_hour"], shelf["P00001"]["price_cents"]) == (12, 2800)
    assert (shelf["P00002"]["listed_hour"], shelf["P00002"]["price_cents"]) == (0, 2900)


def tool(world: Any, name: str) -> Tool:
    return next(tool for tool in world.desk(1).tools() if tool.name == name)


def staged(world: Any, name: str, draft: Any, **arguments: Any) -> Any:
    found = tool(world, name)
    return found.stage(draft, found.arguments.model_validate(arguments))


def test_tools_stage_into_the_draft_and_the_last_call_on_a_product_stands() -> None:
    world = opened(SMALL, seats=1)
    world.settle([{"list": {"P00001": 3000, "P00002": 3000}}])
    draft = staged(world, "list_products", {}, items=[{"product": "P00005", "price_cents": 900}])
    draft = staged(world, "adjust_prices", draft, items=[{"product": "P00001", "price_cents": 2500}])
    draft = staged(world, "delist_products", draft, products=["P00001", "P00002"])
    assert draft == {"delist": ["P00001", "P00002"], "list": {"P00005": 900}}
    draft = staged(world, "relaunch_product", draft, product="P00002", price_cents=2000)
    assert draft == {"delist": ["P00001", "P00002"], "list": {"P00005": 900, "P00002": 2000}}
    draft = staged(world, "withdraw", draft, product="P00001")
    assert draft == {"delist": ["P00002"], "list": {"P00005": 900, "P00002": 2000}}
    assert world.desk(1).check(draft) is None


def test_what_could_not_be_sealed_is_refused_when_staged() -> None:
    world = opened(SMALL, seats=1)
    with pytest.raises(InputError, match="not listed now"):
        staged(world, "delist_products", {}, products=["P00001"])
    with pytest.raises(InputError, match="holds nothing"):
        staged(world, "withdraw", {}, product="P00001")


def test_the_order_in_which_a_decision_names_products_tells_nobody_anything() -> None:
    """A journal keeps objects by key: what settled in another order could be neither verified nor resumed."""
    first, second = opened(SMALL, seats=1), opened(SMALL, seats=1)
    shelf = dict(list(SHELF.items())[:6])
    prices = {name: 2000 + at for at, name in enumerate(shelf)}
    wrong = {"reprice": {"P00001": 0, "P00000": 0}}
    for decision in ({"list": shelf}, {"reprice": prices}, wrong):
        ((field, items),) = decision.items()
        one = first.settle([decision])
        other = second.settle([{field: dict(reversed(items.items()))}])
        assert (one.receipts, one.refusals, one.hashes) == (other.receipts, other.refusals, other.hashes)
    for table in first.desk(1).tables():
        assert list(first.desk(1).rows(table.name)) == list(second.desk(1).rows(table.name)), table.name
