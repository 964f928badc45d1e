"""What an entry may not say: the harness's own controls, another model or the web, and secrets in any disguise.

Parameters go to a provider as they are, in `options.extra_body` even past litellm, so they are searched
as deep as they go. What is refused is named by its path; no value is ever repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from tournament.records import Json
from tournament.secret_patterns import holds_key, is_key_like, is_secret_name

NAME_ONLY: Final = "must be the NAME of an environment variable; the value given is not shown"
# A name that every shell can set.
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# litellm's key parameters (api_key, aws_secret_access_key): short, so that no pasted key passes for one.
_PARAMETER: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
# OpenRouter's suffix that gives a model the web.
_ONLINE: Final = re.compile(r":online(:|$)", re.IGNORECASE)
_SPACES: Final = re.compile(r"\s")

_HARNESS: Final = "the harness writes the conversation"
_CEILING: Final = "the response ceiling is `ceiling`"
_ONE_REPLY: Final = "one reply is asked at a time"
_TOOLS: Final = "the harness defines the tools"
_HEADERS: Final = "headers can carry secrets and are not kept"
_SAME_ROUTE: Final = "a route is never substituted"
_NO_WEB: Final = "a CEO has no web and no tools but the harness's"
OURS: Final[Mapping[str, str]] = {
    "model": "it is the entry's own key",
    **dict.fromkeys(("messages", "input", "instructions", "system", "prompt", "contents"), _HARNESS),
    **dict.fromkeys(("system_instruction", "systemInstruction"), _HARNESS),
    **dict.fromkeys(("tools", "functions"), _TOOLS),
    **dict.fromkeys(("stream", "stream_options"), "replies are never streamed"),
    **dict.fromkeys(("n", "best_of", "candidate_count", "candidateCount"), _ONE_REPLY),
    **dict.fromkeys(("max_tokens", "max_completion_tokens", "max_output_tokens"), _CEILING),
    **dict.fromkeys(("max_new_tokens", "maxOutputTokens", "num_predict", "n_predict"), _CEILING),
    "api_key": "name the variable that holds it in `key_env`",
    "api_base": "it is the entry's own key",
    "base_url": "the address is `api_base`",
    **dict.fromkeys(("headers", "extra_headers", "default_headers"), _HEADERS),
    **dict.fromkeys(("timeout", "request_timeout"), "it is `limits.timeouts`"),
    **dict.fromkeys(("num_retries", "max_retries"), "retries are `limits.retry`"),
    **dict.fromkeys(("drop_params", "additional_drop_params"), "no parameter is dropped in silence"),
    "modify_params": "no request is rewritten in silence",
    **dict.fromkeys(("fallbacks", "context_window_fallback_dict", "models", "route"), _SAME_ROUTE),
    "mock_response": "use a mock/... model",
    **dict.fromkeys(("caching", "cache"), "every reply is asked for"),
    **dict.fromkeys(("logger_fn", "callbacks", "metadata"), "nothing is logged elsewhere"),
    "custom_llm_provider": "the provider is the model's prefix",
    "allowed_openai_params": "put the provider's own parameters into `options`",
    **dict.fromkeys(("previous_response_id", "store"), "the conversation is kept here"),
    "include": "the transport asks for what it needs",
    "background": "replies are waited for",
    **dict.fromkeys(("web_search_options", "web_search", "search_parameters", "search_settings"), _NO_WEB),
    **dict.fromkeys(("enable_search", "search_options", "plugins", "mcp_servers", "connectors"), _NO_WEB),
}
_BODY: Final = "extra_body"
FieldPath = tuple[str, ...]


def misplaced(parameters: Mapping[str, Json]) -> str | None:
    """Return what of `params` or `options` is not an entry's to say, and why; None where all of it is."""
    for path, value in _walk(parameters, ()):
        name, shown = path[-1], ".".join(path)
        if name in OURS and all(part == _BODY for part in path[:-1]):
            return f"`{shown}` is not an inference parameter here: {OURS[name]}"
        if is_secret_name(name) and isinstance(value, (str, list, Mapping)) and value:
            return f"`{shown}` is named as a secret is: name the variable that holds it in `key_env`"
        if isinstance(value, str) and holds_key(value):
            return f"`{shown}` looks like a key: name the variable that holds it in `key_env`"
    return None


def secret_setting(settings: Json) -> str | None:
    """Return why `settings` may not be said, or None."""
    for name, value in settings.items() if isinstance(settings, Mapping) else ():
        if is_secret_name(str(name)) or (isinstance(value, str) and holds_key(value)):
            return f"`{name}` holds a secret: name the variable that holds it in `key_env`"
    return None


def variable(value: Json) -> str:
    """Return a variable's name; raises ValueError, which repeats nothing, for what is none or looks like a key."""
    if not isinstance(value, str) or not _VARIABLE.fullmatch(value) or is_key_like(value):
        raise ValueError(NAME_ONLY)
    return value


def variables(value: Json) -> Json:
    """Return a map of key parameters to variables as it is; raises ValueError for a parameter that is none."""
    for name in value if isinstance(value, Mapping) else ():
        if not isinstance(name, str) or not _PARAMETER.fullmatch(name) or is_key_like(name):
            raise ValueError(
                "maps litellm's key parameters, such as api_key, to NAMES of variables; what is given is not shown"
            )
    return value


def address(value: str) -> str:
    """Return an API's address; raises ValueError, which repeats nothing, for more than a place."""
    wrong = _wrong_address(value)
    if wrong:
        raise ValueError(
            f"{wrong}; write http:// or https://, a host, and where needed a port and a path"
            " (the address given is not shown); a key goes into the variable that `key_env` names"
        )
    return value


def model_name(value: str) -> str:
    """Return litellm's model string; raises ValueError for one without a model, or with the web."""
    provider, slash, name = value.partition("/")
    if _SPACES.search(value):
        raise ValueError("a model's name has no white space")
    if not provider or (slash and not name.strip("/")):
        raise ValueError("names no model: write provider/model, such as openai/gpt-5")
    if _ONLINE.search(value):
        raise ValueError("`:online` gives the model the web, which a CEO has not: name the model without it")
    return value


def _wrong_address(value: str) -> str:
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        return "this is no address"
    if parts.scheme not in ("http", "https") or _SPACES.search(value) or not value.isprintable():
        return "this is no address of an API"
    if port == 0 or not (parts.hostname or "").strip("."):
        return "the address names no host"
    if "@" in parts.netloc:
        return "the address holds a user name or password"
    if "?" in value or "#" in value:
        return "the address has a query or fragment"
    return "the address holds what looks like a key" if holds_key(value) else ""


def _walk(value: Json, path: FieldPath) -> Iterator[tuple[FieldPath, Json]]:
    """Yield every named value with its path, outer ones first; a list's items go by the list's name."""
    if isinstance(value, Mapping):
        for name in sorted(value, key=str):
            yield (*path, str(name)), value[name]
        for name, inner in value.items():
            yield from _walk(inner, (*path, str(name)))
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                yield path, item
            yield from _walk(item, path)
