"""How a reply ended, where the provider's words need a second look."""

from __future__ import annotations

import pytest

from tests.routes.server import chat, reply
from tests.routes.test_cases import CALL, SEALED

pytestmark = pytest.mark.asyncio(loop_scope="session")


def gemini_behind_openrouter(generated: int):
    usage = {"prompt_tokens": 900, "completion_tokens": generated, "total_tokens": 900 + generated}
    body = chat({"content": None}, finish="error", usage=usage)
    body["choices"][0]["native_finish_reason"] = "MALFORMED_FUNCTION_CALL"
    return reply(body)


async def test_a_gateways_error_over_a_malformed_call_that_cost_tokens_is_the_models(provider, call_route):
    provider.answer_with(gemini_behind_openrouter(40))
    speech = call_route()
    answer = await speech.complete()
    assert (answer.finish, answer.usage.generated) == ("malformed_call", 40)
    assert speech.faults == [""]


async def test_a_gateways_error_over_a_malformed_call_that_cost_nothing_is_asked_again(provider, call_route):
    provider.answer_with(gemini_behind_openrouter(0), SEALED)
    speech = call_route()
    assert (await speech.complete()).finish == "calls"
    assert speech.faults == ["transport: provider_error", ""]


async def test_a_gateways_error_with_tokens_and_no_malformed_call_is_asked_again(provider, call_route):
    provider.answer_with(reply(chat({"content": "half a"}, finish="error")), SEALED)
    speech = call_route()
    assert (await speech.complete()).finish == "calls"
    assert speech.faults == ["transport: provider_error", ""]


def ollama(word: str):
    call = {"function": {"name": CALL["function"]["name"], "arguments": {"price": 1}}}
    return reply(
        {
            "model": "qwen3",
            "created_at": "2026-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": "", "tool_calls": [call]},
            "done": True,
            "done_reason": word,
            "prompt_eval_count": 120,
            "eval_count": 15,
        }
    )


@pytest.mark.parametrize(("word", "finish"), [("length", "length"), ("stop", "calls")])
async def test_ollamas_own_word_tells_a_call_that_was_cut_from_one_that_is_whole(
    provider, call_route, word, finish
):
    provider.answer_with(ollama(word))
    speech = call_route(model="ollama_chat/qwen3", api_base=provider.address, tool_calling="confirmed")
    assert (await speech.complete()).finish == finish
