"""The registry: study files name markets and policies, installed packages provide them by entry points.

Groups `tournament.markets` and `tournament.policies`; a name is `name@version` and must be the id of
the object it loads. Nothing above a market or a policy ever imports one by path. Under
`tournament.report` a market may register charts and tables of its own by the same name.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, cast

from tournament.errors import InputError
from tournament.ports import Market, MarketKind, PolicyKind
from tournament.report_parts import ReportPart
from tournament.secret_patterns import looks_secret

MARKETS: Final = "tournament.markets"
POLICIES: Final = "tournament.policies"
REPORTS: Final = "tournament.report"
# Names that one line of an error lists, the nearest spellings of what was written.
MOST_NAMES: Final = 30


def markets() -> tuple[str, ...]:
    """Return the ids of all registered markets, sorted."""
    return tuple(sorted(_entries(MARKETS)))


def policies() -> tuple[str, ...]:
    """Return the ids of all registered policies, sorted."""
    return tuple(sorted(_entries(POLICIES)))


def market_kind(market_id: str) -> MarketKind:
    """Return the registered market; raises InputError with what is known."""
    return cast(MarketKind, _load(MARKETS, "market", market_id))


@lru_cache(maxsize=8)
def scenario_of(market: str, overrides: str) -> Market:
    """Return the registered market with overrides given as JSON text, configured once a process."""
    return market_kind(market).configure(json.loads(overrides))


def policy_kind(policy_id: str) -> PolicyKind:
    """Return the registered policy; raises InputError with what is known."""
    return cast(PolicyKind, _load(POLICIES, "policy", policy_id))


@cache
def report_parts(market_id: str) -> tuple[ReportPart, ...]:
    """Return a market's own parts of the report: none where it registers none, or is not installed here.

    Raises InputError where what is registered cannot be loaded or is something else.
    """
    entry = _entries(REPORTS).get(market_id)
    if entry is None:
        return ()
    parts = tuple(_loaded(entry, "report parts of", market_id))
    names = [part.name for part in parts if isinstance(part, ReportPart)]
    if len(set(names)) < len(parts):
        raise InputError(f"report parts of {market_id} at {entry.value} are not parts of different names")
    return parts


def require_vocabulary(kind: PolicyKind, market_id: str) -> None:
    """Raise InputError unless the policy speaks the market's vocabulary."""
    if kind.markets and market_id not in kind.markets:
        spoken = ", ".join(sorted(kind.markets))
        raise InputError(f"policy {kind.id} does not speak market {market_id}; it speaks {spoken}")


def alternatives(name: str, known: Mapping[str, Any] | tuple[str, ...] | list[str]) -> str:
    """Return what is allowed instead of `name`, the nearest spelling first, for an error message."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f"did you mean {close[0]}? " if close else ""
    if len(names) > MOST_NAMES:
        near = sorted(names, key=lambda other: -difflib.SequenceMatcher(None, name, other).ratio())
        names = [*sorted(near[:MOST_NAMES]), f"and {len(names) - MOST_NAMES} more"]
    return f"{hint}known: {', '.join(names) if names else 'none'}"


@cache
def _entries(group: str) -> Mapping[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        other = found.setdefault(entry.name, entry)
        if other.value != entry.value:
            raise InputError(f"{entry.name} is registered twice: as {other.value} and as {entry.value}")
    return found


@cache
def _load(group: str, word: str, name: str) -> Any:
    known = _entries(group)
    if name not in known:
        written = "of a name that looks like a key" if looks_secret(name) else repr(name)
        raise InputError(f"unknown {word} {written}; {alternatives(name, known)}")
    entry = known[name]
    kind = _loaded(entry, word, name)
    if kind.id != name:
        raise InputError(f"{word} {name} is registered under a name that is not its id, {kind.id}")
    return kind


def _loaded(entry: EntryPoint, word: str, name: str) -> Any:
    try:
        return entry.load()
    except (ImportError, AttributeError) as fault:
        raise InputError(f"{word} {name} cannot be loaded from {entry.value}: {fault}") from fault
