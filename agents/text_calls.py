"""Calls that a model wrote as text: nothing runs them, and a server whose every call comes so has lost its tools."""

from __future__ import annotations

import re
from typing import Final

# The tags that open models were trained on, or an object that begins like arguments.
_CALL_AS_TEXT: Final = re.compile(
    r"<[|/]?\s*(?:tool|function|invoke|parameter)|\[TOOL_CALLS\]|\"arguments\"\s*:|\{\s*\"", re.IGNORECASE
)


def is_call_as_text(text: str) -> bool:
    """Tell whether a text holds what looks like a tool call."""
    return _CALL_AS_TEXT.search(text) is not None
