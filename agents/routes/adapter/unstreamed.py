"""`stream: false` on the wire: some gateways stream unless they are told not to, and litellm leaves a false out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from agents.routes.adapter.library import litellm
from agents.routes.entry import RouteEntry

# Providers of that format whom litellm does not list as such.
_FORMAT: Final = frozenset({"openai", "azure", "openrouter", "mistral"})


def unstreamed(entry: RouteEntry, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request's arguments, told not to be streamed where its wire is OpenAI's chat format."""
    if entry.transport != "chat" or not speaks_openai(entry.model):
        return dict(arguments)
    body = arguments.get("extra_body")
    return {**arguments, "extra_body": {**(body if isinstance(body, dict) else {}), "stream": False}}


@cache
def speaks_openai(model: str) -> bool:
    """Tell whether litellm speaks OpenAI's chat format with a model's provider, so that a body goes as it is."""
    library = litellm()
    _, provider, _, _ = library.get_llm_provider(model)
    return provider in _FORMAT or provider in library.openai_compatible_providers
