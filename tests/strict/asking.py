"""How the strict wires are asked in their own tests: over HTTP, by requests that keep every rule or break one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import httpx

from tests.strict.rules import Wire
from tests.strict.server import StrictProvider

Request = dict[str, Any]
Change = Callable[[Request], Any]


async def asked(
    wire: Wire, *requests: Request, answers: tuple[Any, ...] = ()
) -> tuple[httpx.Response, StrictProvider]:
    """Ask a fresh server of this wire each request in order; return the last response and the server."""
    provider = StrictProvider(wire)
    provider.say(*answers)
    await provider.start()
    try:
        async with httpx.AsyncClient() as client:
            for request in requests:
                path = f"/v1{wire.path}" if wire.path.startswith("/chat") else f"/x{wire.path}"
                response = await client.post(f"{provider.address}{path}", json=request)
    finally:
        await provider.stop()
    return response, provider


def changed(request: Request, change: Change) -> Request:
    """Return a copy of a request after one change."""
    copied = copy.deepcopy(request)
    change(copied)
    return copied


async def breaks(
    wire: Wire, rule: str, request: Request, *, before: tuple[Request, ...] = (), **more: Any
) -> Any:
    """Check that a request is refused for one rule, in the provider's status and words; return the error body."""
    named = {item.name: item for item in wire.rules}[rule]
    response, provider = await asked(wire, *before, request, **more)
    assert response.status_code == named.status, response.text
    (violation,) = provider.violations
    assert (violation.rule, violation.request) == (rule, len(before))
    body = response.json()
    assert violation.words in strings(body)
    return body


def strings(value: Any) -> list[str]:
    """Return every text of a JSON value."""
    if isinstance(value, dict):
        return [text for item in value.values() for text in strings(item)]
    return [value] if isinstance(value, str) else []


async def keeps(wire: Wire, request: Request, **more: Any) -> StrictProvider:
    """Check that a request is taken."""
    response, provider = await asked(wire, request, **more)
    assert (response.status_code, provider.violations) == (200, []), response.text
    return provider
