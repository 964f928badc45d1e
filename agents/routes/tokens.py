"""The one tokenizer that stands in for a missing count: the same for every route."""

from __future__ import annotations

from functools import cache
from typing import Any

from agents.routes.library import litellm


def estimate(text: str) -> int:
    """Return the tokens of a text by the tokenizer that ships with litellm (cl100k_base)."""
    # A marker such as <|endoftext|> in a text is text.
    return len(_encoding().encode(text.encode("utf-8", "replace").decode(), disallowed_special=()))


@cache
def _encoding() -> Any:
    litellm()
    import tiktoken

    return tiktoken.get_encoding("cl100k_base")
