"""Gemini's generateContent: turns of user and model, results right after their calls, signatures of thoughts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.strict.rules import Given, Json, Request, Rule, Wire, first, mappings, rule

Part = Mapping[str, Any]
# https://ai.google.dev/api/generate-content
REFERENCE: Final = "https://ai.google.dev/api/generate-content"
_DATA: Final = frozenset({"text", "functionCall", "functionResponse", "inlineData", "fileData"})
_BESIDE: Final = frozenset({"thought", "thoughtSignature", "partMetadata"})
_SNAKE: Final = {
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "thought_signature": "thoughtSignature",
    "inline_data": "inlineData",
}


def contents(request: Request) -> list[tuple[str, list[Part]]]:
    """Return role and parts of each content; protobuf's JSON takes names in either spelling."""
    listed = mappings(request.get("contents"))
    return [
        (str(item.get("role") or "user"), [_camel(part) for part in mappings(item.get("parts"))])
        for item in listed
    ]


def _camel(part: Part) -> Part:
    return {_SNAKE.get(name, name): value for name, value in part.items()}


def calls_of(parts: list[Part]) -> list[Part]:
    return [part for part in parts if "functionCall" in part]


def results_of(parts: list[Part]) -> list[Part]:
    return [part for part in parts if "functionResponse" in part]


@rule("https://ai.google.dev/api/caching#Content")
def roles_are_user_and_model(request: Request, given: Given) -> str | None:
    said = contents(request)
    if not said:
        return "* GenerateContentRequest.contents: contents is not specified"
    if any(role not in {"user", "model", "function"} for role, _ in said):
        return "Please use a valid role: user, model."
    return None


@rule("https://github.com/egoist/chatwise-releases/issues/250")
def parts_are_not_empty(request: Request, given: Given) -> str | None:
    return first(
        f"* GenerateContentRequest.contents[{at}].parts: contents.parts must not be empty.\n"
        for at, (_, parts) in enumerate(contents(request))
        if not parts
    )


@rule("https://github.com/router-for-me/CLIProxyAPI/issues/1292")
def each_part_holds_something(request: Request, given: Given) -> str | None:
    return first(
        f"* GenerateContentRequest.contents[{at}].parts[{number}].data: required oneof field 'data' must have one"
        " initialized field\n"
        for at, (_, parts) in enumerate(contents(request))
        for number, part in enumerate(parts)
        if not any(part.get(name) not in (None, "") for name in _DATA)
    )


@rule("https://github.com/gera2ld/ai.nvim/issues/13")
def fields_are_known(request: Request, given: Given) -> str | None:
    return first(
        f"Invalid JSON payload received. Unknown name \"{name}\" at 'contents[{at}].parts[{number}]': Cannot find field."
        for at, (_, parts) in enumerate(contents(request))
        for number, part in enumerate(parts)
        for name in part
        if name not in _DATA | _BESIDE
    )


@rule(REFERENCE)
def calls_and_results_are_objects(request: Request, given: Given) -> str | None:
    return first(_shapeless(request))


def _shapeless(request: Request) -> Iterator[str]:
    for at, (_, parts) in enumerate(contents(request)):
        for number, part in enumerate(parts):
            for field, inner, name in (
                ("functionCall", "args", "function_call"),
                ("functionResponse", "response", "function_response"),
            ):
                held = part.get(field)
                if not isinstance(held, Mapping):
                    continue
                if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}", str(held.get("name") or "")):
                    yield f"* GenerateContentRequest.contents[{at}].parts[{number}].{name}.name: Name cannot be empty.\n"
                if inner in held and not isinstance(held[inner], Mapping):
                    yield (
                        f"Invalid value at 'contents[{at}].parts[{number}].{name}.{inner}'"
                        " (type.googleapis.com/google.protobuf.Struct)"
                    )


@rule("https://github.com/google-gemini/gemini-cli/issues/26486")
def calls_follow_the_user(request: Request, given: Given) -> str | None:
    said = contents(request)
    for at, (_, parts) in enumerate(said):
        if calls_of(parts) and (not at or said[at - 1][0] == "model"):
            return (
                "Please ensure that function call turn comes immediately after a user turn or after a function"
                " response turn."
            )
    return None


@rule("https://github.com/langchain-ai/langchain/issues/27799")
def results_follow_calls(request: Request, given: Given) -> str | None:
    said = contents(request)
    for at, (_, parts) in enumerate(said):
        if results_of(parts) and not (at and calls_of(said[at - 1][1])):
            return "Please ensure that function response turn comes immediately after a function call turn."
    return None


@rule("https://github.com/google-gemini/gemini-cli/issues/16437")
def as_many_results_as_calls(request: Request, given: Given) -> str | None:
    said = contents(request)
    for at, (_, parts) in enumerate(said):
        after = said[at + 1][1] if at + 1 < len(said) else []
        if len(calls_of(parts)) != len(results_of(after)) and calls_of(parts):
            return (
                "Please ensure that the number of function response parts is equal to the number of function call"
                " parts of the function call turn."
            )
    return None


@rule("https://ai.google.dev/gemini-api/docs/thought-signatures")
def signatures_come_back(request: Request, given: Given) -> str | None:
    """Of the first call of each step since the user last spoke; enforced by Gemini 3 and later."""
    said = contents(request)
    spoke = [at for at, (role, parts) in enumerate(said) if role == "user" and not results_of(parts)]
    for at, (_, parts) in enumerate(said):
        calls = calls_of(parts)
        if calls and at > (spoke[-1] if spoke else -1) and not calls[0].get("thoughtSignature"):
            return (
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to"
                " work correctly, and missing thought_signature may lead to degraded model performance. Additional"
                f" data, function call `default_api:{calls[0]['functionCall'].get('name')}` , position {at + 1}."
                " Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
            )
    return None


@rule("https://github.com/crewAIInc/crewAI/pull/6973")
def the_user_is_last(request: Request, given: Given) -> str | None:
    if contents(request)[-1][0] != "model":
        return None
    return "Please ensure that single turn requests end with a user role or the role field is empty."


def _error(failed: Rule, words: str) -> Json:
    return {"error": {"code": failed.status, "message": words, "status": "INVALID_ARGUMENT"}}


def _good(request: Request) -> Json:
    declared = [item for tool in mappings(request.get("tools")) for item in _declared(tool)]
    part: Json = {"text": "ok"}
    if declared:
        part = {"functionCall": {"name": declared[0]["name"], "args": {}}, "thoughtSignature": "U0lHLWdvb2Q="}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 120, "candidatesTokenCount": 15, "totalTokenCount": 135},
        "modelVersion": "gemini-3-pro", "responseId": "g1",
    }  # fmt: skip


def _declared(tool: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    return mappings(tool.get("functionDeclarations") or tool.get("function_declarations"))


GEMINI: Final = Wire(
    name="gemini",
    path=":generateContent",
    rules=(
        roles_are_user_and_model,
        parts_are_not_empty,
        fields_are_known,
        each_part_holds_something,
        calls_and_results_are_objects,
        calls_follow_the_user,
        results_follow_calls,
        as_many_results_as_calls,
        signatures_come_back,
        the_user_is_last,
    ),
    error=_error,
    good=_good,
)
