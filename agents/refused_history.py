"""A provider's refusal of the conversation so far: what a route raises and a harness may mend by rebuilding it."""

from __future__ import annotations

from tournament.errors import Suspension


class HistoryRefused(Suspension):
    """The request was refused, and nothing but the turns in it can be to blame; nothing was bought.

    Unmended it suspends the world like any other fault of the harness, and the route stays open.
    """

    def __init__(self, message: str, *, route: str) -> None:
        super().__init__(message, kind="harness", route=route)
