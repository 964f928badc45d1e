"""Keeping keys and gateway addresses out of every text that leaves a route.

Providers quote keys in their refusals, and errors quote addresses. Nothing a route says - a fault's
detail, an exception's message, a record - passes without being scrubbed of the values that the
process itself put in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, urlsplit

from tournament.errors import InputError
from tournament.records import Json

HIDDEN: Final = "[hidden]"
GATEWAY: Final = "[gateway]"
# Providers quote a part of the key back: what looks like one is hidden too.
_KEY_SHAPED: Final = re.compile(r"\b(sk|pk|rk|gsk|xai|AIza)[-_]?[A-Za-z0-9*_\-]{8,}")
_BEARER: Final = re.compile(r"\b(bearer|basic)\s+[A-Za-z0-9._~+/=\-]{6,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrubber:
    """Takes this process's keys, and the addresses they are sent to, out of texts."""

    keys: tuple[str, ...] = field(default=(), repr=False)
    places: tuple[str, ...] = field(default=(), repr=False)

    def text(self, text: str) -> str:
        """Return the text without keys and addresses, and without what looks like a key."""
        for word in self.keys:
            text = text.replace(word, HIDDEN)
        for word in self.places:
            text = text.replace(word, GATEWAY)
        return _BEARER.sub(rf"\1 {HIDDEN}", _KEY_SHAPED.sub(HIDDEN, text))

    def value(self, value: Json) -> Json:
        """Return a reply's JSON without this process's keys; what else a model says stays as it is."""
        if isinstance(value, str):
            for word in self.keys:
                if word in value:
                    value = value.replace(word, HIDDEN)
            return value
        if isinstance(value, Mapping):
            return {key: self.value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value


def scrubber(keys: Iterable[str], address: str | None) -> Scrubber:
    """Return what hides these keys and, wherever it is quoted, this address."""
    words = {form for key in keys for form in (key, quote(key, safe="")) if len(form) >= 4}
    places: set[str] = set()
    if address is not None:
        parts = urlsplit(address)
        places = {form for form in (address, address.rstrip("/"), parts.netloc, parts.hostname) if form}
    return Scrubber(keys=_longest_first(words), places=_longest_first(places))


def keys_of(variables: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return litellm's key parameters with their values; raises InputError naming a variable that is not set."""
    missing = sorted(
        name for name in variables.values() if name not in environment or not environment[name].strip()
    )
    if missing:
        raise InputError(f"the environment variable {', '.join(missing)} is not set")
    return {parameter: environment[name].strip() for parameter, name in variables.items()}


def _longest_first(words: set[str]) -> tuple[str, ...]:
    return tuple(sorted(words, key=lambda word: (-len(word), word)))
