"""The strict /api/chat refuses what Ollama cannot read, and cuts a prompt in silence as Ollama does."""

from __future__ import annotations

import pytest

from tests.strict.asking import asked, breaks, changed, keeps
from tests.strict.odd import OLLAMA as ODD
from tests.strict.ollama_rules import OLLAMA, prompt_tokens

CALL = {"function": {"name": "set_price", "arguments": {"price": 1}}}
GOOD = {
    "model": "qwen3",
    "messages": [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "content": "done"},
    ],
    "tools": [{"type": "function", "function": {"name": "set_price", "parameters": {"type": "object"}}}],
    "stream": False,
    "options": {"num_ctx": 8192},
}
BREAKING = {
    "a_model_is_named": lambda r: r.pop("model"),
    "contents_are_texts": lambda r: r["messages"][1].update(content=[{"type": "text", "text": "hi"}]),
    "arguments_are_objects": lambda r: r["messages"][2]["tool_calls"][0]["function"].update(arguments="{}"),
    "the_answer_is_asked_for_whole": lambda r: r.pop("stream"),
}


async def test_a_history_that_keeps_every_rule_is_taken():
    await keeps(OLLAMA, GOOD)


@pytest.mark.parametrize("rule", BREAKING)
async def test_a_request_that_breaks_a_rule_is_refused_for_it(rule):
    body = await breaks(OLLAMA, rule, changed(GOOD, BREAKING[rule]))
    assert isinstance(body["error"], str)


def test_every_rule_is_broken_once():
    assert set(BREAKING) == {rule.name for rule in OLLAMA.rules}


async def test_a_prompt_beyond_the_context_is_cut_without_a_word_and_its_count_tells():
    long = changed(GOOD, lambda r: r["messages"][0].update(content="rules " * 6000))
    assert prompt_tokens(long) > 8192
    response, provider = await asked(OLLAMA, long)
    assert (response.status_code, provider.violations) == (200, [])
    assert response.json()["prompt_eval_count"] == 8192 // 2 + 2
    short, _ = await asked(OLLAMA, GOOD)
    assert short.json()["prompt_eval_count"] == prompt_tokens(GOOD)


async def test_without_a_context_asked_for_the_default_one_cuts():
    unsaid = changed(GOOD, lambda r: (r.pop("options"), r["messages"][0].update(content="rules " * 3000)))
    response, _ = await asked(OLLAMA, unsaid, answers=(ODD["call"]("set_price", 1),))
    assert response.json()["prompt_eval_count"] == 4096 // 2 + 2
    assert response.json()["message"]["tool_calls"]
