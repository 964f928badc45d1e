"""Text that others wrote, made safe to keep and to print: bounded where it enters, plain where it is shown.

A provider, a gateway, a model or a study's author can write anything: megabytes, escape codes that
rewrite a terminal, line breaks that forge a line of ours, a key that was pasted into the wrong place.
Low in the house, so that errors, journals and every command use the same rules.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from typing import Final

from tournament.secret_patterns import BEARER, KEY_SHAPED

KEPT_CHARACTERS: Final = 2_000
LINE_CHARACTERS: Final = 4_000
HIDDEN: Final = "[hidden]"
_TAIL_CHARACTERS: Final = 160
# Controls, what turns the direction of writing, other breaks of a line, half surrogates, invisible marks.
_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\ufffb]"
)
_CUT: Final = re.compile(
    r"… \[cut: [\d,]+ of (?P<length>[\d,]+) characters, SHA-256 (?P<whole>[0-9a-f]{64})\]"
)
_BREAK: Final = re.compile(r"[ ]*(?:\r\n|[\n\r\t\x0b\x0c\x85\u2028\u2029])[\s]*")


def bounded(text: str, most: int = KEPT_CHARACTERS) -> str:
    """Return the first `most` characters of a longer text with its length and SHA-256 (of its UTF-8) behind.

    Of a text that was cut before, they stay those of the first.
    """
    tail = text[-_TAIL_CHARACTERS:]
    cut = _CUT.search(tail) if tail.endswith("]") else None
    own = text[: len(text) - len(tail) + cut.start()] if cut else text
    if len(own) <= most:
        return text
    length = cut["length"] if cut else f"{len(text):,}"
    whole = cut["whole"] if cut else hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return f"{own[:most]}… [cut: {most:,} of {length} characters, SHA-256 {whole}]"


def printable(text: str) -> str:
    """Return a text in which nothing acts on a terminal: escapes stand in for what cannot be seen."""
    return _UNPRINTABLE.sub(_escape, text)


def one_line(text: str, most: int = LINE_CHARACTERS) -> str:
    """Return a text as a part of one line of ours: bounded, without breaks, without what acts on a terminal."""
    return printable(_BREAK.sub(" ", bounded(text, most)).strip())


def quoted(path: object) -> str:
    """Return a path as a shell reads it back, for a command that a person may copy."""
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def without_keys(text: str) -> str:
    """Return a text without what has the shape of a key."""
    return BEARER.sub(rf"\1 {HIDDEN}", KEY_SHAPED.sub(HIDDEN, text))


def _escape(found: re.Match[str]) -> str:
    number = ord(found.group())
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
