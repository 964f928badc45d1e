"""Keeping keys and gateway addresses out of every text that leaves a route.

Providers quote keys in their refusals, whole, in part or as the credentials of a header, and errors
quote addresses. No text of a route - a failure's detail, an exception's message, a record - passes
without being scrubbed of the values that the process itself put in.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, urlsplit

from tournament.errors import InputError
from tournament.records import Json

HIDDEN: Final = "[hidden]"
GATEWAY: Final = "[gateway]"
# As many characters of a key in a row are taken for a quotation of it.
PIECE: Final = 8
# Credentials that are no header of their own: JSON, or the path of a file.
_NO_HEADER: Final = "credentials"
# Providers quote a part of the key back: what looks like one is hidden too.
_KEY_SHAPED: Final = re.compile(r"\b(sk|pk|rk|gsk|xai|AIza)[-_]?[A-Za-z0-9*_\-]{8,}")
# Credentials of an Authorization header, quoted with their scheme; six characters are enough to be one here,
# where texts are a provider's words, and too few in what people write (tournament.secret_patterns).
_BEARER: Final = re.compile(r"\b(bearer|basic)\s+[A-Za-z0-9._~+/=\-]{6,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrubber:
    """Takes this process's keys, and the addresses they are sent to, out of texts.

    `keys` are keys as they are quoted and encoded; `pieces` all runs of them that give away a part; `escaped`
    finds keys of which any letter is written as JSON may write it, in JSON that stands inside JSON too.
    """

    keys: tuple[str, ...] = field(default=(), repr=False)
    places: tuple[str, ...] = field(default=(), repr=False)
    pieces: frozenset[str] = field(default=frozenset(), repr=False)
    escaped: re.Pattern[str] | None = field(default=None, repr=False)

    def text(self, text: str) -> str:
        """Return the text without keys, parts of them and addresses, and without what looks like a key."""
        text = self._without_pieces(self._without_keys(text))
        for word in self.places:
            text = text.replace(word, GATEWAY)
        return _BEARER.sub(rf"\1 {HIDDEN}", _KEY_SHAPED.sub(HIDDEN, text))

    def value(self, value: Json) -> Json:
        """Return a reply's JSON without this process's whole keys; what else a model says stays as it is."""
        if isinstance(value, str):
            return self._without_keys(value)
        if isinstance(value, Mapping):
            return {self._without_keys(key): self.value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value

    def _without_keys(self, text: str) -> str:
        """Hide whole keys, and those that a reader of JSON would find: arguments of calls are JSON in a text."""
        for word in self.keys:
            if word in text:
                text = text.replace(word, HIDDEN)
        if self.escaped is not None and "\\" in text:
            text = self.escaped.sub(HIDDEN, text)
        return text

    def _without_pieces(self, text: str) -> str:
        """Hide every run that consists of pieces, which may overlap."""
        if not self.pieces:
            return text
        shown: list[str] = []
        end = 0  # of the run that is being hidden
        for at in range(len(text) - PIECE + 1):
            if text[at : at + PIECE] in self.pieces:
                if not end or at > end:
                    shown += [HIDDEN] if end else []
                    shown.append(text[end:at])
                end = at + PIECE
        return "".join([*shown, HIDDEN if end else "", text[end:]])


def scrubber(keys: Iterable[str], address: str | None) -> Scrubber:
    """Return what hides these keys and, wherever it is quoted, this address."""
    listed = list(keys)
    plain = {
        form
        for key in listed
        for form in (key, quote(key, safe="", errors="surrogatepass"))
        if len(form) >= 4
    }
    encoded = {form for key in listed if len(key) >= PIECE for form in _encoded(key)}
    places: set[str] = set()
    if address is not None:
        parts = urlsplit(address)
        places = {form for form in (address, address.rstrip("/"), parts.netloc, parts.hostname) if form}
    return Scrubber(
        keys=_longest_first(plain | encoded),
        places=_longest_first(places),
        escaped=_escaped(_longest_first(plain | encoded)),
        pieces=frozenset(form[at : at + PIECE] for form in plain for at in range(len(form) - PIECE + 1)),
    )


def keys_of(variables: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return litellm's key parameters with their values; raises InputError naming a variable that has none."""
    missing = sorted(
        name for name in variables.values() if name not in environment or not environment[name].strip()
    )
    if missing:
        raise InputError(f"the environment variable {', '.join(missing)} is not set")
    for parameter, name in variables.items():
        wrong = unsendable(parameter, name, environment[name])
        if wrong:
            raise InputError(wrong)
    return {parameter: environment[name].strip() for parameter, name in variables.items()}


def unsendable(parameter: str, name: str, value: str) -> str:
    """Return why a variable's value cannot be sent as a key, telling the variable alone; empty if it can."""
    key = value.strip()
    if parameter.endswith(_NO_HEADER):
        return ""
    if any(letter.isspace() for letter in key):
        return f"the value of the environment variable {name} has white space in it, as no key has"
    if not key.isascii() or not key.isprintable():
        return (
            f"the value of the environment variable {name} has a character that is not plain ASCII:"
            " copy the key again"
        )
    return ""


def _escaped(words: Sequence[str]) -> re.Pattern[str] | None:
    """Return what finds a word with letters as `\\u0041` or behind a backslash, however often JSON was nested."""
    if not words:
        return None
    return re.compile("|".join("".join(map(_letter, word)) for word in words))


def _letter(letter: str) -> str:
    code = "".join(f"[{digit}{digit.upper()}]" for digit in f"{ord(letter):04x}")
    # Bounded: a text may be a megabyte of backslashes.
    return rf"(?:\\{{0,16}}{re.escape(letter)}|\\{{1,16}}u{code})"


def _encoded(key: str) -> Iterator[str]:
    """Yield what a key is in Base64: alone, beside a colon, and inside whatever else is encoded with it."""
    plain = key.encode(errors="surrogatepass")
    for form in (plain, plain + b":", b":" + plain):
        whole = b64encode(form).decode()
        yield from _both_alphabets(whole)
        yield from _both_alphabets(whole.rstrip("="))
    for before in range(3):
        whole = b64encode(b"\0" * before + plain).decode()
        # A character with bits of a neighbour in it depends on that; those between are the key's own.
        yield from _both_alphabets(whole[-(-before * 8 // 6) : (before + len(plain)) * 8 // 6])


def _both_alphabets(text: str) -> tuple[str, str]:
    return text, text.translate(str.maketrans("+/", "-_"))


def _longest_first(words: set[str]) -> tuple[str, ...]:
    return tuple(sorted(words, key=lambda word: (-len(word), word)))
