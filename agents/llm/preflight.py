"""The conversation of `routes check`: a window's own system prompt and all its tools, two turns long."""

from __future__ import annotations

from agents.llm.prompt import system_text
from agents.llm.sql.database import tables
from agents.llm.tools.harness import QUERY
from agents.llm.toolset import toolset
from agents.llm.window.budget import Budgets
from agents.routes.probe import ProbeConversation
from tournament.ports import Market

_ASKED = (
    "This is a check of the connection: no decision counts, and nothing is played. Call the tool list_files now, with"
    " no text. When you have its result, call the tool preview_decision."
)
_RESULT = '{"files": []}'


def conversation(market: Market, seats: int) -> ProbeConversation:
    """Return what a check says to a model that would play this market."""
    desk = market.open(seed=1, seats=seats).desk(1)
    return ProbeConversation(
        system=system_text(desk.guide(), tables(desk), Budgets()),
        user=_ASKED,
        result=_RESULT,
        tools=toolset(desk.tools()).definitions,
        unanswerable=frozenset({QUERY}),
    )
