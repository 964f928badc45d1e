"""What can be known of a route before a cent is spent: parameters, keys, tool calling, price.

Everything is looked up in litellm's own tables, offline; a mock's backend is loaded and not called. A provider that
refuses what litellm believes is found by `tournament routes check`, which sends one tiny tool call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from agents.routes.adapter.library import litellm
from agents.routes.entry import RouteEntry
from agents.routes.errors.redaction import unsendable
from agents.routes.price import Tariff, map_name, tariff_of, unpriced_terms
from agents.routes.problem import Problem, problem
from agents.routes.terms import TIER
from tournament.records import Json

PROBE_TOOL: Final[Mapping[str, Json]] = {
    "type": "function",
    "function": {
        "name": "report_ready",
        "description": "Say that you are ready.",
        "parameters": {
            "type": "object",
            "properties": {"ready": {"type": "boolean", "description": "true"}},
            "required": ["ready"],
            "additionalProperties": False,
        },
    },
}


# Providers whose sign-in is a library of their own, by its module and what to install.
_SIGN_IN: Final[Mapping[str, tuple[str, str]]] = {
    "vertex_ai": ("google.auth", "google-auth"),
    "vertex_ai_beta": ("google.auth", "google-auth"),
    "bedrock": ("botocore", "boto3"),
    "bedrock_mantle": ("botocore", "boto3"),
    "sagemaker": ("botocore", "boto3"),
    "sagemaker_chat": ("botocore", "boto3"),
}
# litellm's advice on its own settings, which are not ours to change: no parameter is dropped in silence.
_ADVICE: Final = re.compile(
    r"[\s,.;]*(?:\b(?:to|or)\s[^.`]*?)?\b(?:set|pass)\s+`?(?:litellm\.)?drop_params.*$", re.IGNORECASE
)
# "litellm.BadRequestError: litellm.UnsupportedParamsError: " before the sentence that helps.
_LIBRARY_NAME: Final = re.compile(r"^(?:litellm\.\w+: )+")


def problems(
    entries: Iterable[RouteEntry],
    environment: Mapping[str, str] | None,
    *,
    priced: bool = False,
    folder: Path | None = None,
) -> list[Problem]:
    """Return everything wrong with these entries.

    Without an environment only what an entry itself says is looked at, so that a plan needs no keys. With
    `priced`, an unknown price is wrong too. `folder` is where the scripts of mocks lie; without one they are not
    read.
    """
    found: list[Problem] = []
    for entry in entries:
        if entry.is_mock:
            from agents.routes.mock.check import mock_problems

            found += mock_problems(entry, folder)
            continue
        if environment is not None:
            found += _keys(entry, environment)
        provider = _provider(entry)
        if provider is None:
            found.append(problem(entry, _unknown_provider(entry), "model"))
            continue
        if environment is not None:
            found += _missing_library(entry, provider)
        found += _PARAMETERS[entry.transport](entry, provider) or _other_thinking(entry, provider)
        found += _no_tools(entry)
        tariff = tariff_of(entry, litellm)
        found += _unpriced_terms(entry, tariff)
        if priced and tariff is None:
            text = "litellm's map has no price for it: give `price`, or no dollar cap can be kept"
            found.append(problem(entry, text, "model"))
    return found


def _unpriced_terms(entry: RouteEntry, tariff: Tariff | None) -> list[Problem]:
    """A tier, speed or place that multiplies the price must have a price, or what is booked would be another's."""
    found: list[Problem] = []
    for field, term in unpriced_terms(entry, tariff).items():
        own = f"price.tiers.{term} or price.factors.{term}" if field == TIER else f"price.factors.{term}"
        text = f"no price is known for {field} {term} of {entry.model}: give {own}, or leave it out"
        place = ("params", field) if field in entry.params else ("options",)
        found.append(problem(entry, text, *place))
    return found


def _keys(entry: RouteEntry, environment: Mapping[str, str]) -> list[Problem]:
    """Every variable must hold a key, and one that can be sent; no value is told."""
    found: list[Problem] = []
    for parameter, name in entry.key_variables.items():
        place = ("key_env",) if isinstance(entry.key_env, str) else ("key_env", parameter)
        if name not in environment or not environment[name].strip():
            found.append(problem(entry, f"the environment variable {name} is not set", *place))
        elif wrong := unsendable(parameter, name, environment[name]):
            found.append(problem(entry, wrong, *place))
    return found


def _missing_library(entry: RouteEntry, provider: tuple[str, str]) -> list[Problem]:
    """Report a provider whose own sign-in library is not installed: the first request would need it."""
    if provider[1] not in _SIGN_IN:
        return []
    module, package = _SIGN_IN[provider[1]]
    if _is_installed(module):
        return []
    text = f"{provider[1]} needs the Python package {package}, which is not installed: pip install {package}"
    return [problem(entry, text, "model")]


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _provider(entry: RouteEntry) -> tuple[str, str] | None:
    """Return litellm's model and provider names, or None for a provider that it does not know."""
    library = litellm()
    try:
        model, provider, _, _ = library.get_llm_provider(entry.model, api_base=entry.api_base)
    except library.exceptions.BadRequestError:
        return None
    return str(model), str(provider)


def _unknown_provider(entry: RouteEntry) -> str:
    return f"litellm knows no provider for {entry.model!r}; write provider/model, such as openai/gpt-5"


def _no_tools(entry: RouteEntry) -> list[Problem]:
    """A model that litellm's map lists without tool calling cannot be a CEO; one not listed is probed."""
    if entry.tool_calling == "confirmed":
        return []
    known = litellm().model_cost
    name = map_name(entry.model, known)
    listed = known[name] if name is not None else {}
    if "supports_function_calling" in listed and listed["supports_function_calling"] is False:
        text = "litellm lists it without tool calling; `tool_calling: confirmed` if you know better"
        return [problem(entry, text, "model")]
    return []


def _chat(entry: RouteEntry, provider: tuple[str, str]) -> list[Problem]:
    model, name = provider
    supported = litellm().get_supported_openai_params(model=model, custom_llm_provider=name)
    if supported is None:
        return [problem(entry, _unknown_provider(entry), "model")]
    found = _unsupported(entry, supported)
    if "tools" not in supported:
        found.append(problem(entry, "it does not support tool calling", "model"))
    return found or _refused(entry, provider)


def _refused(entry: RouteEntry, provider: tuple[str, str]) -> list[Problem]:
    """Let litellm map the parameters as for a request: some values of known parameters are refused there."""
    library = litellm()
    model, name = provider
    given: dict[str, Any] = {entry.ceiling_param: entry.ceiling, **entry.params}
    try:
        library.utils.get_optional_params(
            model=model, custom_llm_provider=name, tools=[dict(PROBE_TOOL)], drop_params=False, **given
        )
    except (library.UnsupportedParamsError, library.BadRequestError, ValueError, TypeError) as fault:
        return [_refusal(entry, str(fault).strip() or type(fault).__name__)]
    return []


def _refusal(entry: RouteEntry, message: str) -> Problem:
    """Word litellm's refusal: without its advice, at the parameter that it names, with what helps here."""
    text = _ADVICE.sub("", _LIBRARY_NAME.sub("", message.splitlines()[0])).rstrip(" .;,:")
    named = [name for name in entry.params if re.search(rf"\b{re.escape(name)}\b", text)]
    place = ("params", named[0]) if len(named) == 1 else ("params",)
    helps = f"; leave {named[0] if len(named) == 1 else 'it'} out, or give a value that the model takes"
    return problem(entry, text + helps, *place)


def _other_thinking(entry: RouteEntry, provider: tuple[str, str]) -> list[Problem]:
    """A budget that litellm would send as something else, an effort say, is not what the entry says."""
    if entry.thinking_budget is None:
        return []
    model, name = provider
    given = entry.params["thinking"]
    mapped: Mapping[str, Any] = litellm().utils.get_optional_params(
        model=model,
        custom_llm_provider=name,
        thinking=dict(given),
        max_tokens=entry.ceiling,
        drop_params=False,
    )
    if "thinking" not in mapped or mapped["thinking"] == given:
        return []
    sent = {key: mapped[key] for key in ("thinking", "output_config") if key in mapped}
    text = (
        f"{entry.model} takes no budget of thinking tokens: litellm would send {json.dumps(sent)}; give that"
    )
    return [problem(entry, text, "params", "thinking")]


def _responses(entry: RouteEntry, provider: tuple[str, str]) -> list[Problem]:
    model, name = provider
    configs = litellm().utils.ProviderConfigManager
    config = configs.get_provider_responses_api_config(provider=name, model=model, api_base=entry.api_base)
    if config is None:
        text = f"litellm does not speak Responses with {name}; use transport chat"
        return [problem(entry, text, "transport")]
    return _unsupported(entry, config.get_supported_openai_params(model))


def _messages(entry: RouteEntry, provider: tuple[str, str]) -> list[Problem]:
    model, name = provider
    library = litellm()
    config = library.utils.ProviderConfigManager.get_provider_anthropic_messages_config(
        model=model, provider=library.LlmProviders(name)
    )
    if config is None:
        text = f"litellm does not speak Messages with {name}; use transport chat"
        return [problem(entry, text, "transport")]
    return _unsupported(entry, config.get_supported_anthropic_messages_params(model))


_PARAMETERS: Final = {"chat": _chat, "responses": _responses, "messages": _messages}


def _unsupported(entry: RouteEntry, supported: Iterable[str]) -> list[Problem]:
    known = set(supported)
    takes = ", ".join(sorted(known - _NEVER_PARAMETERS))
    unknown = (
        f"not supported by {entry.model} over {entry.transport}; supported: {takes};"
        " what only this provider knows goes into `options`"
    )
    found = [problem(entry, unknown, "params", name) for name in entry.params if name not in known]
    found += [
        problem(entry, "litellm knows this one: put it into `params`", "options", name)
        for name in entry.options
        if name in known and name != "extra_body"
    ]
    return found


_NEVER_PARAMETERS: Final = frozenset(
    {
        *(
            "model",
            "messages",
            "input",
            "instructions",
            "system",
            "prompt",
            "tools",
            "functions",
            "function_call",
        ),
        *("max_tokens", "max_completion_tokens", "max_output_tokens", "n", "stream", "stream_options"),
        *("max_retries", "timeout", "extra_headers", "extra_query", "extra_body", "metadata"),
        *("store", "include", "background", "previous_response_id"),
    }
)
