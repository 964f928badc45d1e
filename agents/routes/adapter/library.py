"""litellm, loaded once and late: quiet, without its price download, logging, telemetry or retries.

Importing it costs seconds and 200 MB, so nothing does before a route needs it. It is imported by name
at run time for the same reason a type checker need not read it. Three of its inner places are used, and
checked for at loading: where it makes transports, to see the wire; the mark of calls that are not logged
(its success logging asks some providers for model facts, blocking the event loop); and the model
facts that it fetches from an Ollama server, blocking too, wherever that server is.
"""

from __future__ import annotations

import importlib
import logging
import os
import warnings
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, Final

from agents.routes.adapter.wire import RecordingTransport
from tournament.errors import InputError

_ENVIRONMENT: Final = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_OFFLINE_MODE": "True",
    "LITELLM_RUST": "False",
    "LITELLM_LOG": "ERROR",
}
_LOGGERS: Final = (
    "LiteLLM",
    "LiteLLM Router",
    "LiteLLM Proxy",
    "httpx",
    "openai",
    "aiohttp.client",
    "botocore",
)


@cache
def litellm() -> Any:
    """Return the configured module; raises InputError where this litellm is not one that fits."""
    os.environ.update(_ENVIRONMENT)
    # litellm's own types make pydantic warn, at loading and at every answer that they do not describe.
    for foreign in (r"pydantic", r"litellm"):
        warnings.filterwarnings("ignore", module=rf"{foreign}(\.|$)")
    # A call that is cancelled while litellm prepares it leaves a coroutine behind.
    warnings.filterwarnings("ignore", message=r"coroutine '\w+\.\w*completion' was never awaited")
    module: Any = importlib.import_module("litellm")
    module.telemetry = False
    module.suppress_debug_info = True
    module.set_verbose = False
    module.drop_params = False
    module.modify_params = False
    module.num_retries = 0
    module.cache = None
    module.turn_off_message_logging = True
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # A price that depends on the hour would make a bound that does not hold: peak prices count.
    for facts in module.model_cost.values():
        facts.pop("off_peak_pricing", None)
    _record_transports()
    _answer_for_ollama()
    # Clients that the import made already have untapped transports.
    module.in_memory_llm_clients_cache.flush_cache()
    return module


def unlogged() -> AbstractContextManager[None]:
    """Make the litellm calls inside leave no log, callback or bill of its own."""
    litellm()
    return _part("litellm._internal_context", "internal_sub_call")()  # type: ignore[no-any-return]


def encoding() -> Any:
    """Return the tokenizer whose vocabulary ships with litellm (cl100k_base); tiktoken alone would fetch it."""
    litellm()
    return _part("litellm.litellm_core_utils.default_encoding", "encoding")


async def close() -> None:
    """Close every connection that litellm holds; the next call opens new ones."""
    if litellm.cache_info().currsize:
        module = litellm()
        await module.close_litellm_async_clients()
        module.in_memory_llm_clients_cache.flush_cache()


def _record_transports() -> None:
    handler = _part("litellm.llms.custom_httpx.http_handler", "AsyncHTTPHandler")
    make = _member(handler, "create_async_transport")
    plain = _part("httpx", "AsyncHTTPTransport")

    def tapped(*args: Any, **kwargs: Any) -> RecordingTransport:
        return RecordingTransport(make(*args, **kwargs) or plain())

    handler.create_async_transport = staticmethod(tapped)


def _answer_for_ollama() -> None:
    """Models of Ollama call tools, cost nothing and tell no context length: nobody is asked for it."""
    facts = {
        "litellm_provider": "ollama",
        "mode": "chat",
        "supports_function_calling": True,
        "input_cost_per_token": 0.0,
        "output_cost_per_token": 0.0,
        "max_tokens": None,
        "max_input_tokens": None,
        "max_output_tokens": None,
    }
    models = _part("litellm.llms.ollama.common_utils", "OllamaModelInfo")
    _member(models, "get_runtime_model_info")

    def known(self: Any, model: str, api_base: str | None = None, api_key: str | None = None) -> Any:
        return {"key": model, **facts}

    models.get_runtime_model_info = known


def _part(module: str, name: str) -> Any:
    return _member(importlib.import_module(module), name)


def _member(owner: Any, name: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError:
        version = importlib.import_module("importlib.metadata").version("litellm")
        raise InputError(f"litellm {version} has no {name}: this release fits litellm 1.110") from None
