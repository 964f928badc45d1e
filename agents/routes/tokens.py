"""The one tokenizer that stands in for a missing count: the same for every route."""

from __future__ import annotations

from agents.routes.adapter.library import encoding


def estimate(text: str) -> int:
    """Return the tokens of a text by the tokenizer that ships with litellm (cl100k_base)."""
    # A marker such as <|endoftext|> in a text is text.
    return len(encoding().encode(text.encode("utf-8", "replace").decode(), disallowed_special=()))
