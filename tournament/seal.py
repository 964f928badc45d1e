"""Strict JSON in, canonical JSON and SHA-256 out: the form in which decisions are sealed and hashed.

Sits below agents and market and imports nothing but the exception tree: what a model, a script or
an outside agent writes is parsed by one rule everywhere. A document is refused whole with one
reason and its place; nothing is repaired. Numbers with an integral value are integers (1000.0 and
1e3 are 1000), so that two spellings of one decision have one hash.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from json import JSONDecodeError, JSONDecoder
from math import isfinite
from pathlib import Path
from typing import Final

from tournament.errors import InputError
from tournament.records import Json

MAX_DEPTH: Final = 32
# Of a file that a person or a program hands in; a thousand windows of decisions are a tenth of it.
MAX_BYTES: Final = 16_000_000
MAX_NUMBER: Final = 2**53
_MAX_DIGITS: Final = 40

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[-+]?[A-Za-z0-9_.]+")
_STRINGS = JSONDecoder()
# Types whose values are in plain JSON form as they are: not float, whose integral values become integers.
_SCALARS: Final = frozenset({str, int, bool, type(None)})
_STRING: Final = frozenset({str})
_LITERALS: Final[Mapping[str, bool | None]] = {"true": True, "false": False, "null": None}


def parse(text: str, *, file: Path | str | None = None) -> Json:
    """Return the JSON value of `text`; raises InputError with line, column and one reason.

    Refused beside malformed text: NaN and infinities, a key given twice in one object, numbers beyond
    2**53, nesting deeper than 32, half surrogates, anything after the value.
    """
    reader = _Reader(text.removeprefix("\ufeff"), file)
    value, end = reader.value(reader.skip(0), 0)
    end = reader.skip(end)
    if end != len(reader.text):
        raise reader.refusal("text after the JSON value", end)
    return value


def read(path: Path) -> Json:
    """Return the JSON value of a UTF-8 file; raises InputError naming the file, its line and the reason."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as fault:
        raise InputError(f"cannot be read: {getattr(fault, 'strerror', fault)}", file=path) from None
    if len(content) > MAX_BYTES:
        raise InputError(f"is larger than {MAX_BYTES:,} bytes", file=path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise InputError("is not UTF-8 text", file=path, line=line) from None
    return parse(text, file=path)


def canonical(value: Json) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, integral numbers as integers.

    Raises InputError for what JSON cannot hold (NaN, an infinity, a key that is no string, other types).
    """
    return json.dumps(
        normal(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )


def digest(value: Json) -> str:
    """Return the SHA-256 (hex) of the value's canonical JSON."""
    text = canonical(value)
    try:
        return hashlib.sha256(text.encode()).hexdigest()
    except UnicodeEncodeError:
        raise InputError("a text holds half a surrogate pair, which is not Unicode") from None


def normal(value: Json) -> Json:
    """Return the value in plain JSON types, numbers with an integral value as integers."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is float:
        if not isfinite(value):
            raise InputError(f"{value} is not a JSON number")
        return int(value) if value.is_integer() and abs(value) <= MAX_NUMBER else value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InputError(f"the key {key!r} is not a string")
        return {key: normal(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [normal(item) for item in value]
    raise InputError(f"a {kind.__name__} is not a JSON value")


def as_kept(value: Json) -> Json:
    """Return the value as a journal gives it back: `normal`, and the keys of every object in order.

    Every decision and memo of a model-free seat passes here once a window, so that lists and objects
    of plain scalars are copied without a call an item.
    """
    kind = type(value)
    if kind is dict:
        if not {*map(type, value)} <= _STRING:
            value = normal(value)  # a key that is no string is refused
        return {key: item if type(item := value[key]) in _SCALARS else as_kept(item) for key in sorted(value)}
    if kind is list or kind is tuple:
        if {*map(type, value)} <= _SCALARS:
            return [*value]
        return [item if type(item) in _SCALARS else as_kept(item) for item in value]
    plain = normal(value)
    return as_kept(plain) if type(plain) in (dict, list) else plain


class _Reader:
    """A recursive-descent reader that knows the place of what it refuses (json's hooks do not)."""

    def __init__(self, text: str, file: Path | str | None) -> None:
        self.text = text
        self.file = file

    def refusal(self, message: str, at: int) -> InputError:
        line = self.text.count("\n", 0, at) + 1
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        return InputError(f"invalid JSON: {message}", file=self.file, line=line, column=column)

    def skip(self, at: int) -> int:
        space = _SPACE.match(self.text, at)
        return space.end() if space else at

    def value(self, at: int, depth: int) -> tuple[Json, int]:
        if depth > MAX_DEPTH:
            raise self.refusal(f"nested deeper than {MAX_DEPTH} levels", at)
        mark = self.text[at : at + 1]
        if mark == "{":
            return self.object(at, depth)
        if mark == "[":
            return self.array(at, depth)
        if mark == '"':
            return self.string(at)
        return self.scalar(at)

    def string(self, at: int) -> tuple[str, int]:
        value: str
        try:
            value, end = _STRINGS.raw_decode(self.text, at)
        except JSONDecodeError as fault:
            raise self.refusal(
                fault.msg[:1].lower() + fault.msg[1:].removesuffix(" at").removesuffix(" starting"), fault.pos
            ) from None
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.refusal("a string holds half a surrogate pair", at) from None
        return value, end

    def scalar(self, at: int) -> tuple[Json, int]:
        word = _WORD.match(self.text, at)
        if word and word.group() in _LITERALS:
            return _LITERALS[word.group()], word.end()
        found = _NUMBER.match(self.text, at)
        if found and (word is None or found.end() >= word.end()):
            return self.number(found), found.end()
        if at >= len(self.text):
            raise self.refusal("ends where a value is expected", at)
        shown = word.group() if word else self.text[at]
        raise self.refusal(f"{shown[:40]!r} is not a JSON value", at)

    def number(self, found: re.Match[str]) -> int | float:
        whole, fraction, exponent = found.groups()
        if len(found.group()) > _MAX_DIGITS:
            raise self.refusal(f"a number of {len(found.group())} characters", found.start())
        value = int(whole) if fraction is None and exponent is None else float(found.group())
        if abs(value) > MAX_NUMBER:
            raise self.refusal(f"the number {found.group()} is beyond 2**53", found.start())
        return int(value) if isinstance(value, float) and value.is_integer() else value

    def array(self, at: int, depth: int) -> tuple[list[Json], int]:
        items: list[Json] = []
        at = self.skip(at + 1)
        if self.text[at : at + 1] == "]":
            return items, at + 1
        while True:
            item, at = self.value(at, depth + 1)
            items.append(item)
            at = self.skip(at)
            mark = self.text[at : at + 1]
            if mark == "]":
                return items, at + 1
            if mark != ",":
                raise self.refusal("',' or ']' expected", at)
            at = self.skip(at + 1)

    def object(self, at: int, depth: int) -> tuple[dict[str, Json], int]:
        members: dict[str, Json] = {}
        at = self.skip(at + 1)
        if self.text[at : at + 1] == "}":
            return members, at + 1
        while True:
            at = self.member(members, at, depth)
            mark = self.text[at : at + 1]
            if mark == "}":
                return members, at + 1
            if mark != ",":
                raise self.refusal("',' or '}' expected", at)
            at = self.skip(at + 1)

    def member(self, members: dict[str, Json], at: int, depth: int) -> int:
        if self.text[at : at + 1] != '"':
            raise self.refusal("a key in double quotes expected", at)
        key, end = self.string(at)
        if key in members:
            raise self.refusal(f"the key {key[:40]!r} is given twice", at)
        end = self.skip(end)
        if self.text[end : end + 1] != ":":
            raise self.refusal("':' expected", end)
        members[key], end = self.value(self.skip(end + 1), depth + 1)
        return self.skip(end)
