"""What can be known of a route before a cent is spent: parameters, keys, tool calling, price.

Everything is asked of litellm's own tables, offline. A provider that refuses what litellm believes is
found by `tournament routes check`, which sends one tiny tool call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agents.routes.entry import RouteEntry
from agents.routes.library import litellm
from agents.routes.price import map_name, tariff_of
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with a route: where, and what."""

    route: str
    place: str
    text: str

    def __str__(self) -> str:
        return f"routes.{self.route}.{self.place}: {self.text}"


def problems(
    entries: Iterable[RouteEntry], environment: Mapping[str, str], *, priced: bool = False
) -> list[Problem]:
    """Return everything wrong with these entries; with `priced`, an unknown price is wrong too."""
    found: list[Problem] = []
    for entry in entries:
        if entry.is_mock:
            continue
        found += _missing_keys(entry, environment)
        provider = _provider(entry)
        if provider is None:
            found.append(Problem(route=entry.id, place="model", text=_unknown_provider(entry)))
            continue
        found += _PARAMETERS[entry.transport](entry, provider)
        found += _no_tools(entry)
        if priced and tariff_of(entry, litellm) is None:
            text = "litellm's map has no price for it: give `price`, or no dollar cap can be kept"
            found.append(Problem(route=entry.id, place="model", text=text))
    return found


def _missing_keys(entry: RouteEntry, environment: Mapping[str, str]) -> list[Problem]:
    return [
        Problem(route=entry.id, place="key_env", text=f"the environment variable {name} is not set")
        for name in entry.key_variables.values()
        if name not in environment or not environment[name].strip()
    ]


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
        return [Problem(route=entry.id, place="model", text=text)]
    return []


def _chat(entry: RouteEntry, provider: tuple[str, str]) -> list[Problem]:
    model, name = provider
    supported = litellm().get_supported_openai_params(model=model, custom_llm_provider=name)
    if supported is None:
        return [Problem(route=entry.id, place="model", text=_unknown_provider(entry))]
    found = _unsupported(entry, supported)
    if "tools" not in supported:
        found.append(Problem(route=entry.id, place="model", text="it does not support tool calling"))
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
        lines = str(fault).strip().splitlines()
        text = lines[0].removeprefix("litellm.UnsupportedParamsError: ") if lines else type(fault).__name__
        return [Problem(route=entry.id, place="params", text=text)]
    return []


def _responses(entry: RouteEntry, provider: tuple[str, str]) -> list[Problem]:
    model, name = provider
    configs = litellm().utils.ProviderConfigManager
    config = configs.get_provider_responses_api_config(provider=name, model=model, api_base=entry.api_base)
    if config is None:
        text = f"litellm does not speak Responses with {name}; use transport chat"
        return [Problem(route=entry.id, place="transport", text=text)]
    return _unsupported(entry, config.get_supported_openai_params(model))


def _messages(entry: RouteEntry, provider: tuple[str, str]) -> list[Problem]:
    model, name = provider
    library = litellm()
    config = library.utils.ProviderConfigManager.get_provider_anthropic_messages_config(
        model=model, provider=library.LlmProviders(name)
    )
    if config is None:
        text = f"litellm does not speak Messages with {name}; use transport chat"
        return [Problem(route=entry.id, place="transport", text=text)]
    return _unsupported(entry, config.get_supported_anthropic_messages_params(model))


_PARAMETERS: Final = {"chat": _chat, "responses": _responses, "messages": _messages}


def _unsupported(entry: RouteEntry, supported: Iterable[str]) -> list[Problem]:
    known = set(supported)
    found = [
        Problem(
            route=entry.id,
            place=f"params.{name}",
            text=f"not supported by {entry.model} over {entry.transport};"
            f" supported: {', '.join(sorted(known - _NEVER_PARAMETERS))};"
            " what only this provider knows goes into `options`",
        )
        for name in entry.params
        if name not in known
    ]
    found += [
        Problem(route=entry.id, place=f"options.{name}", text="litellm knows this one: put it into `params`")
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
