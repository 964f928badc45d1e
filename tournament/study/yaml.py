"""YAML 1.2 with places: a small strict reader for files that people write.

The file is read as nodes, not as values, because the traps of YAML live in the difference: `NO` and
`010` mean one thing to a reader of YAML 1.1 and another to one of 1.2, `1e3` is text to some. What two
readers could understand differently is refused with its place and the spelling to use. Anchors,
aliases and tags are refused: a study has no use for them, and a few lines of them can expand to gigabytes.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError, YAMLStreamError
from ruamel.yaml.events import AliasEvent, DocumentStartEvent, NodeEvent
from ruamel.yaml.nodes import Node, ScalarNode, SequenceNode
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from tournament.errors import InputError
from tournament.foreign_text import HIDDEN
from tournament.records import Json
from tournament.secret_patterns import looks_secret

MAX_BYTES: Final = 1_000_000
MAX_DEPTH: Final = 32
MAX_DIGITS: Final = 15

Loc = tuple[str | int, ...]
Place = tuple[int, int]

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")
_QUOTED_OR_COMMENT = re.compile("[#'\"]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN = re.compile(r"(?i)(?!(?:yes|no|on|off|y|n|true|false|null)$)[a-z][a-z0-9_@./-]*")
_NULLS: Final = ("", "~", "null", "Null", "NULL")
_BOOLEANS: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_TRAPS: Final = (
    (re.compile(r"(?i)(yes|no|on|off)"), "is a boolean to some YAML readers; quote it"),
    (
        re.compile(r"[-+]?0[0-9_]+(\.[0-9]*)?"),
        "has a leading zero, which makes it octal to some YAML readers; leave the zero out, or quote it",
    ),
    (
        re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*\.?[0-9_]*)[eE][-+]?[0-9]+"),
        "is a number to some YAML readers and text to others; write it out, as 1000",
    ),
    (re.compile(r"[-+]?0[xob][0-9a-fA-F_]+"), "is no decimal number; write it in decimal, or quote it"),
    (
        re.compile(r"[-+]?[0-9]+(_[0-9]+)+(\.[0-9_]*)?"),
        "has underscores between digits; leave them out, or quote it",
    ),
    (
        re.compile(r"[-+]?[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?"),
        "is a number of base 60 to some YAML readers; quote it",
    ),
    (re.compile(r"\+([0-9]+\.?[0-9]*|\.[0-9]+)"), "has a plus sign; leave it out, or quote it"),
    (
        re.compile(r"[-+]?([0-9]+\.|\.[0-9]+)"),
        "is an incomplete decimal; write digits on both sides of the point",
    ),
    (re.compile(r"(?i)[-+]?\.(inf|nan)"), "is not a finite number"),
    (re.compile(r"-0(\.0+)?"), "is zero with a sign, which some readers keep; write 0"),
    (re.compile(r"<<|="), "has a special meaning to some YAML readers; quote it"),
)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file: its value in plain types, and the line and column of every part of it."""

    file: Path
    text: str
    value: Json
    places: Mapping[Loc, Place] = field(repr=False)
    keys: Mapping[Loc, Place] = field(repr=False)

    def refuse(self, loc: Loc, message: str, *, at_key: bool = False) -> InputError:
        """Return the refusal of a part, at the part or else at the nearest place that contains it."""
        places = self.keys if at_key and loc in self.keys else self.places
        known = loc
        while known and known not in places:
            known, places = known[:-1], self.places
        line, column = places.get(known, (1, 1))
        return InputError(message, file=self.file, line=line, column=column, field=dotted(loc) or None)


def dotted(loc: Loc) -> str:
    """Return a trail as people write it: `references[1].seeds[0]`; what may be a pasted key is not repeated."""
    shown = ""
    for part in loc:
        name = HIDDEN if isinstance(part, str) and looks_secret(part) else part
        shown += f"[{name}]" if isinstance(name, int) else f".{name}" if shown else name
    return shown


def yaml_text(value: Json) -> str:
    """Return a value as YAML that `read_yaml` reads back: what is more than a plain word is quoted."""
    stream = io.StringIO()
    writer = YAML(typ="rt", pure=True)
    writer.width = sys.maxsize
    writer.dump(_quoted(value), stream)
    return stream.getvalue()


def _quoted(value: Json) -> Json:
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else DoubleQuotedScalarString(value)
    if isinstance(value, Mapping):
        return {_quoted(key): _quoted(item) for key, item in value.items()}
    return [_quoted(item) for item in value] if isinstance(value, list) else value


def read_yaml(file: Path) -> Document:
    """Return the one YAML document of a file; raises InputError with line, column and what is allowed."""
    text = _text(file)
    _refuse_tabs(file, text)
    try:
        _refuse_events(file, text)
        node = YAML(typ="rt", pure=True).compose(text)
    except MarkedYAMLError as fault:
        _refuse_syntax(file, fault)
    except (YAMLError, YAMLStreamError) as fault:
        raise InputError(f"is not YAML: {_line(str(fault))}", file=file) from None
    if node is None:
        raise InputError("is empty", file=file, line=1, column=1)
    reader = _NodeReader(file)
    value = reader.value(node, ())
    return Document(file=file, text=text, value=value, places=reader.places, keys=reader.keys)


def _text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as fault:
        raise InputError(f"cannot be read: {getattr(fault, 'strerror', fault)}", file=file) from None
    if len(content) > MAX_BYTES:
        raise InputError(f"is larger than {MAX_BYTES:,} bytes", file=file)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        column = fault.start - content.rfind(b"\n", 0, fault.start)
        raise InputError("is not UTF-8 text", file=file, line=line, column=column) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _refuse_tabs(file: Path, text: str) -> None:
    """A tab outside quotes and comments: YAML allows some of them, editors show none of them."""
    for number, line in enumerate(text.split("\n"), start=1):
        before, tab, _ = line.partition("\t")
        if tab and not _QUOTED_OR_COMMENT.search(before):
            raise InputError("a tab stands here; use spaces", file=file, line=number, column=len(before) + 1)


def _refuse_events(file: Path, text: str) -> None:
    """Look at the event stream before anything is built from it."""
    depth = documents = 0
    for event in YAML(typ="rt", pure=True).parse(text):
        name = type(event).__name__
        if isinstance(event, NodeEvent) and event.anchor is not None:
            word = "alias *" if isinstance(event, AliasEvent) else "anchor &"
            _refuse(file, event, f"the {word}{event.anchor} is not allowed; write the value where it is used")
        if getattr(event, "tag", None) is not None:
            _refuse(file, event, "a tag (!...) is not allowed; write the plain value")
        if isinstance(event, DocumentStartEvent) and event.version not in (None, (1, 2)):
            _refuse(file, event, "a %YAML directive other than 1.2; leave it out")
        documents += name == "DocumentStartEvent"
        if documents > 1:
            _refuse(file, event, "a second document starts here; a file holds one")
        depth += name.endswith(("MappingStartEvent", "SequenceStartEvent"))
        depth -= name.endswith(("MappingEndEvent", "SequenceEndEvent"))
        if depth > MAX_DEPTH:
            _refuse(file, event, f"nested deeper than {MAX_DEPTH} levels")


def _refuse(file: Path, marked: Any, message: str) -> NoReturn:
    mark = marked.start_mark
    raise InputError(message, file=file, line=mark.line + 1, column=mark.column + 1)


def _refuse_syntax(file: Path, fault: MarkedYAMLError) -> NoReturn:
    mark = fault.problem_mark or fault.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    raise InputError(
        f"is not YAML: {_line(str(fault.problem))}", file=file, line=line, column=column
    ) from None


def _line(text: str) -> str:
    return " ".join(text.split())[:160]


class _NodeReader:
    """Turns nodes into plain values and remembers where each stood."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.places: dict[Loc, Place] = {}
        self.keys: dict[Loc, Place] = {}

    def value(self, node: Node, loc: Loc) -> Json:
        self.places[loc] = _place(node)
        if isinstance(node, ScalarNode):
            return self.scalar(node, loc)
        if isinstance(node, SequenceNode):
            return [self.value(item, (*loc, index)) for index, item in enumerate(node.value)]
        return self.mapping(node, loc)

    def mapping(self, node: Node, loc: Loc) -> dict[str | int, Json]:
        members: dict[str | int, Json] = {}
        for key_node, value_node in node.value:
            key = self.key(key_node, loc)
            if key in members:
                first = self.keys[*loc, key][0]
                self.refuse(key_node, (*loc, key), f"the key is given twice, first in line {first}")
            self.keys[*loc, key] = _place(key_node)
            members[key] = self.value(value_node, (*loc, key))
            if members[key] is None:
                self.places[*loc, key] = _place(key_node)
        return members

    def key(self, node: Node, loc: Loc) -> str | int:
        key: Json = None
        if isinstance(node, ScalarNode):
            key = self.scalar(node, loc)
        if isinstance(key, bool) or not isinstance(key, (str, int)):
            self.refuse(node, loc, "a key must be a plain word here; quote it if it is meant as a name")
        return key

    def scalar(self, node: ScalarNode, loc: Loc) -> Json:
        text: str = node.value
        if _SURROGATE.search(text):
            self.refuse(node, loc, "holds half a surrogate pair, which is not Unicode")
        if node.style is not None:
            return text
        if text in _NULLS:
            return None
        if text in _BOOLEANS:
            return _BOOLEANS[text]
        for pattern, trap in _TRAPS:
            if pattern.fullmatch(text):
                self.refuse(node, loc, f"{text[:40]} {trap}")
        if _INTEGER.fullmatch(text) or _DECIMAL.fullmatch(text):
            return self.number(node, loc)
        return text

    def number(self, node: ScalarNode, loc: Loc) -> int | float:
        text: str = node.value
        if sum(character.isdigit() for character in text) > MAX_DIGITS:
            self.refuse(node, loc, f"a number has {MAX_DIGITS} digits at most")
        return float(text) if "." in text else int(text)

    def refuse(self, node: Node, loc: Loc, message: str) -> NoReturn:
        line, column = _place(node)
        raise InputError(message, file=self.file, line=line, column=column, field=dotted(loc) or None)


def _place(node: Node) -> Place:
    return (node.start_mark.line + 1, node.start_mark.column + 1)
