"""What of routes must not be published: keys, addresses and accounts, found and taken out of any text.

Works on entries as plain JSON, on a machine that need not have the keys: what the environment of this
process holds is looked for by value, addresses and accounts by what the entries say, and whatever has
the shape of a key or an address is hidden wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlsplit

from agents.routes.errors.redaction import GATEWAY, HIDDEN
from tournament.records import Json
from tournament.secret_patterns import BEARER, KEY_SHAPED, is_secret_name

FEWEST_CHARACTERS: Final = 8
_RANDOM_CHARACTERS: Final = 16
_PRIVATE_FIELDS: Final = frozenset({"api_base", "key_env", "settings"})
# Anything with a scheme, up to what ends an address in prose, JSON, HTML or Markdown.
_ADDRESS: Final = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s\"'<>\\)\]},]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateWord:
    """A text that must not be published, what stands in its place, and what it is, in words that may be told."""

    text: str
    instead: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateWords:
    """All that a process knows to be private, longest first."""

    words: tuple[PrivateWord, ...]

    def hide(self, text: str) -> str:
        """Return the text without private words, and without what has the shape of a key."""
        for word in self.words:
            if word.text in text:
                text = text.replace(word.text, word.instead)
        return BEARER.sub(rf"\1 {HIDDEN}", KEY_SHAPED.sub(HIDDEN, text))

    def hide_all(self, value: Json) -> Json:
        """Return a JSON value with every text in it hidden so, names of fields too."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, Mapping):
            return {self.hide_all(key): self.hide_all(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.hide_all(item) for item in value]
        return value

    def study(self, study: Mapping[str, Json]) -> Mapping[str, Json]:
        """Return a study's values as they may be published."""
        shown = self.hide_all(public_study(study))
        assert isinstance(shown, dict)
        return shown

    def is_public(self, text: str) -> bool:
        """Tell whether a text that a person wrote holds no private word and names no address."""
        return self.hide(text) == text and not holds_address(text)

    def found(self, text: str) -> str | None:
        """Return what private thing a text still holds, in words that may be told, or None."""
        return next((word.meaning for word in self.words if word.text in text), None)


def private_words(entries: Mapping[str, Mapping[str, Json]], environment: Mapping[str, str]) -> PrivateWords:
    """Return what is private of these route entries and of this process's environment."""
    found: dict[str, PrivateWord] = {}
    for word in (*_of_entries(entries), *_of_environment(entries, environment)):
        found.setdefault(word.text, word)
    return PrivateWords(words=tuple(sorted(found.values(), key=lambda word: (-len(word.text), word.text))))


def public_study(study: Mapping[str, Json]) -> dict[str, Json]:
    """Return a study without addresses, accounts, names of key variables, and secrets by name.

    Takes a study file's values as well as a canonical study; market and design stay as they are.
    """
    public = {"contestants": _without_secrets, "routes": _public_routes}
    return {key: public[key](value) if key in public else value for key, value in study.items()}


def holds_address(text: str) -> bool:
    """Tell whether a text names any address."""
    return _ADDRESS.search(text) is not None


def _public_routes(routes: Json) -> Json:
    """Entries by id as a canonical study has them, a list of entries, or the name of a file."""
    if isinstance(routes, Mapping):
        return {route: _public_entry(entry) for route, entry in routes.items()}
    if isinstance(routes, list):
        return [_public_entry(entry) for entry in routes]
    return routes


def _public_entry(entry: Json) -> Json:
    if not isinstance(entry, Mapping):
        return HIDDEN
    return {
        key: HIDDEN if key in _PRIVATE_FIELDS and value else _without_secrets(value)
        for key, value in entry.items()
    }


def _without_secrets(value: Json) -> Json:
    if isinstance(value, str):
        return _ADDRESS.sub(GATEWAY, value)
    if isinstance(value, Mapping):
        return {
            key: HIDDEN
            if isinstance(item, str) and item and is_secret_name(str(key))
            else _without_secrets(item)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_without_secrets(item) for item in value]
    return value


def _of_entries(entries: Mapping[str, Mapping[str, Json]]) -> Iterator[PrivateWord]:
    for route, entry in entries.items():
        address = entry.get("api_base")
        if isinstance(address, str):
            yield from _of_address(address, f"the address of route {route}")
        settings = entry.get("settings")
        for name, value in settings.items() if isinstance(settings, Mapping) else ():
            if name != "api_version" and isinstance(value, str) and len(value) >= FEWEST_CHARACTERS:
                yield PrivateWord(text=value, instead=HIDDEN, meaning=f"{name} of route {route}")


def _of_address(address: str, meaning: str) -> Iterator[PrivateWord]:
    """A host without a dot is an ordinary word, and private only together with its port or scheme."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    forms = {address, address.rstrip("/"), f"//{host}", parts.netloc if parts.netloc != host else ""}
    forms |= {host} if "." in host or ":" in host else set()
    for form in forms:
        if len(form) > 3:
            yield PrivateWord(text=form, instead=GATEWAY, meaning=meaning)
    if parts.password:
        yield PrivateWord(text=parts.password, instead=HIDDEN, meaning=meaning)


def _of_environment(
    entries: Mapping[str, Mapping[str, Json]], environment: Mapping[str, str]
) -> Iterator[PrivateWord]:
    """Keys that routes name, and whatever else is named like a secret and looks drawn at random."""
    named = {name for entry in entries.values() for name in _variables(entry)}
    for name, raw in environment.items():
        value = raw.strip()
        random = len(value) >= _RANDOM_CHARACTERS and any(letter.isdigit() for letter in value)
        if (name in named and len(value) >= FEWEST_CHARACTERS) or (is_secret_name(name) and random):
            for form in {value, quote(value, safe="")}:
                yield PrivateWord(text=form, instead=HIDDEN, meaning=f"the value of {name}")


def _variables(entry: Mapping[str, Json]) -> Iterable[str]:
    variables = entry.get("key_env")
    if isinstance(variables, str):
        return [variables]
    return [str(name) for name in variables.values()] if isinstance(variables, Mapping) else []
