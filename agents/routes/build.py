"""Routes from entries: what all seats of one process share, with limiters shared where limits are.

Nothing of litellm is loaded until a route needs it; mock routes never do.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from agents.routes.entry import RouteEntry, RouteLimits
from agents.routes.errors.redaction import Scrubber, keys_of, scrubber
from agents.routes.limiter import Clock, Limiter, SystemClock
from agents.routes.route import Route
from tournament.errors import InputError
from tournament.records import Json


def parse_entries(entries: Mapping[str, Mapping[str, Json]]) -> dict[str, RouteEntry]:
    """Return the entries of a study's `routes`, which are validated already, as models."""
    return {name: RouteEntry.model_validate(dict(entry)) for name, entry in entries.items()}


def open_routes(
    entries: Iterable[RouteEntry],
    *,
    environment: Mapping[str, str],
    folder: Path,
    clock: Clock | None = None,
) -> dict[str, Route]:
    """Return a route an entry by id; raises InputError where a key is missing or limits contradict.

    `folder` is where a mock's script is looked for.
    """
    listed = list(entries)
    time = clock or SystemClock()
    limiters = _limiters(listed, time)
    return {
        entry.id: (
            _mock_route(entry, limiters[group_of(entry)], time, folder)
            if entry.is_mock
            else _model_route(entry, limiters[group_of(entry)], time, environment)
        )
        for entry in listed
    }


async def close_routes() -> None:
    """Close the connections of every route of this process; mock routes have none."""
    if "agents.routes.adapter.library" in sys.modules:
        from agents.routes.adapter import library

        await library.close()


def group_of(entry: RouteEntry) -> str:
    """Return the name of the limiter that an entry's requests pass; it tells no address."""
    if entry.limits.group is not None:
        return entry.limits.group
    account = ",".join(sorted(entry.key_variables.values()))
    place = hashlib.sha256((entry.api_base or "").encode()).hexdigest()[:8] if entry.api_base else ""
    return " ".join(part for part in (entry.model, place, account) if part)


def _limiters(entries: Iterable[RouteEntry], clock: Clock) -> dict[str, Limiter]:
    first_of: dict[str, tuple[str, RouteLimits]] = {}
    limiters: dict[str, Limiter] = {}
    for entry in entries:
        group = group_of(entry)
        first, limits = first_of.setdefault(group, (entry.id, entry.limits))
        if _pace(limits) != _pace(entry.limits):
            raise InputError(
                f"{entry.id} and {first} share one limiter ({group}) but not its concurrent,"
                " requests_per_minute and tokens_per_minute: give them the same limits or groups of their own",
                field="routes",
            )
        limiters.setdefault(group, Limiter(group, entry.limits, clock))
    return limiters


def _pace(limits: RouteLimits) -> tuple[int, int | None, int | None]:
    return limits.concurrent, limits.requests_per_minute, limits.tokens_per_minute


def _model_route(entry: RouteEntry, limiter: Limiter, clock: Clock, environment: Mapping[str, str]) -> Route:
    from agents.routes import tokens
    from agents.routes.adapter.caller import LiteLLMCaller
    from agents.routes.adapter.library import litellm
    from agents.routes.adapter.reply import ReplyReader
    from agents.routes.adapter.thinking import least_ceiling
    from agents.routes.price import tariff_of

    try:
        keys = keys_of(entry.key_variables, environment)
    except InputError as fault:
        raise InputError(str(fault), field=f"routes.{entry.id}.key_env") from None
    scrub = scrubber(keys.values(), entry.api_base)
    tariff = tariff_of(entry, litellm)
    reader = ReplyReader(entry=entry, tariff=tariff, scrub=scrub)
    least = least_ceiling(entry)
    return Route(
        entry=entry,
        caller=LiteLLMCaller(entry=entry, reader=reader, clock=clock, keys=keys),
        limiter=limiter,
        clock=clock,
        tariff=tariff,
        scrub=scrub,
        tokenizer=tokens.estimate,
        least_ceiling=least,
    )


def _mock_route(entry: RouteEntry, limiter: Limiter, clock: Clock, folder: Path) -> Route:
    from agents.routes.mock.model import mock_tokens
    from agents.routes.mock.route import mock_caller
    from agents.routes.price import tariff_of

    tariff = tariff_of(entry, dict)
    return Route(
        entry=entry,
        caller=mock_caller(entry, clock, folder, tariff),
        limiter=limiter,
        clock=clock,
        tariff=tariff,
        scrub=Scrubber(),
        tokenizer=mock_tokens,
    )
