"""A route's entry in a study or a routes file: which model, where, with what, how fast, at what price.

The model is the whole contract of an entry: what is not in it does not exist, and a misspelt key is
an error. Whatever binds a contestant's identity stands at the top level; `limits`, `price`, `prompt_cache`
and `allow` only say how fast and for how much a route may be asked, and when it is stopped. Keys never stand
in an entry, only the names of the environment variables that hold them.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    field_validator,
    model_validator,
)

from agents.routes.entry_validation import address, misplaced, model_name, secret_setting, variable, variables
from tournament.records import Json

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Variable = Annotated[str, BeforeValidator(variable)]
Variables = Annotated[dict[str, Variable], BeforeValidator(variables)]
NAME, MAP = "<name>", "<map>"

MOCK: Final = "mock/"
# Of a response ceiling, what thinking leaves for the answer.
ANSWER_TOKENS: Final = 1024
# Connection settings that litellm takes beside a key; each is a place or an account, never a secret.
Settings = dict[
    Literal[
        "api_version",
        "organization",
        "aws_region_name",
        "aws_profile_name",
        "aws_role_name",
        "aws_session_name",
        "vertex_project",
        "vertex_location",
    ],
    str,
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


def _form(value: Any) -> str:
    """Whether one variable or a map of them is meant, so that a mistake is told, unseen, for that form alone."""
    return MAP if isinstance(value, dict) else NAME


class Timeouts(_Strict):
    """How long one request may take before it counts as a connection fault."""

    connect_seconds: Seconds = Field(default=15.0, description="to open a connection")
    silence_seconds: Seconds = Field(default=600.0, description="without a byte of the answer")
    total_seconds: Seconds = Field(default=1200.0, description="of one request in all")


class Retry(_Strict):
    """Bounds of the one retry loop: when they are used up, the world is suspended."""

    attempts: int = Field(default=40, ge=1, description="requests for one reply at most")
    blank_attempts: int = Field(
        default=5,
        ge=1,
        description="of them, at most so many answered with nothing usable, which may be charged",
    )
    base_seconds: Seconds = Field(default=1.0, description="the first back-off is at most this long")
    cap_seconds: Seconds = Field(default=300.0, description="no back-off of ours is longer")
    retry_after_cap_seconds: Seconds = Field(
        default=900.0, description="a Retry-After beyond this is cut to it"
    )
    give_up_seconds: Seconds = Field(default=7200.0, description="waited for one reply in all")


class RouteLimits(_Strict):
    """How fast a route may be asked; routes of one `group` share these limits, their queue and their pauses."""

    concurrent: int = Field(default=8, ge=1, description="requests in flight at most; adapts below this")
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1, description="prompt and generated")
    group: str | None = Field(
        default=None,
        min_length=1,
        description="name of a limiter to share; without one, routes of one model, address and key share",
    )
    context_tokens: int | None = Field(
        default=None, ge=1, description="longest prompt, for bounds in plans; else as litellm lists it"
    )
    timeouts: Timeouts = Field(default_factory=Timeouts)
    retry: Retry = Field(default_factory=Retry)


class Rates(_Strict):
    """Dollars per million tokens of each kind."""

    input: Dollars
    output: Dollars
    cached: Dollars | None = Field(
        default=None, description="input read from a cache; as `input` where absent"
    )
    written: Dollars | None = Field(
        default=None,
        description="input written to a cache; where absent as `input`, and 1.25 times that on routes that mark"
        " what is to be cached",
    )
    written_1h: Dollars | None = Field(
        default=None,
        description="input written to a cache for an hour; where absent as `written`, and twice `input` on routes"
        " that mark what is to be cached",
    )


class LongContext(Rates):
    """What all tokens of a request cost whose prompt is longer than this."""

    tokens: int = Field(ge=1, description="a prompt of more tokens than this is priced so, whole")


class PriceTable(Rates):
    """Rates, and those of longer prompts."""

    above: list[LongContext] = Field(default_factory=list, description="rates of long prompts")


class Price(PriceTable):
    """Dollars per million tokens, in place of litellm's price map."""

    tiers: dict[str, PriceTable] = Field(
        default_factory=dict, description="rates of other service tiers, by the tier's name"
    )
    factors: dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False)]] = Field(
        default_factory=dict,
        description="by how much a tier, a `speed` or an `inference_geo` multiplies every rate, by its name",
    )


class MockSettings(_Strict):
    """What the in-process mock plays: a script's replies, or a strategy policy that speaks in tool calls."""

    seed: int = Field(default=0, ge=0)
    script: str | None = Field(default=None, description="file of scripted replies (JSON)")
    params: dict[str, Json] = Field(default_factory=dict, description="parameters of the strategy")
    faults: str = Field(default="", description="injected faults, as for mock-provider's --faults")


class RouteEntry(_Strict):
    """One route: a contestant's model, with everything that decides what it answers."""

    id: str = Field(pattern=r"^[A-Za-z0-9._-]+$", description="name in the study")
    model: Annotated[str, AfterValidator(model_name)] = Field(
        description="litellm's model string, or mock/STRATEGY, mock/script"
    )
    api_base: Annotated[str, AfterValidator(address)] | None = Field(
        default=None, description="address of the API"
    )
    key_env: (
        Annotated[
            Annotated[Variable, Tag(NAME)] | Annotated[Variables, Tag(MAP)],
            Discriminator(_form),
        ]
        | None
    ) = Field(
        default=None,
        description="environment variable with the key, or a map of litellm's key parameters to variables",
    )
    transport: Literal["chat", "responses", "messages"] = Field(
        default="chat",
        description="chat completions, OpenAI's Responses, or Anthropic's Messages as they are",
    )
    settings: Settings = Field(default_factory=dict, description="region, project, API version")
    params: dict[str, Json] = Field(
        default_factory=dict, description="inference parameters, checked against what litellm supports"
    )
    options: dict[str, Json] = Field(
        default_factory=dict, description="the provider's own parameters, sent as they are"
    )
    ceiling: int = Field(default=32_768, ge=16, description="most tokens of one response")
    ceiling_param: Literal["max_tokens", "max_completion_tokens"] = Field(
        default="max_tokens", description="name under which a chat endpoint takes the ceiling"
    )
    accepted: list[str] = Field(
        default_factory=list, description="model ids that may answer, beside the requested one"
    )
    identity: Literal["returned", "unreported"] = Field(
        default="returned",
        description="`unreported` where the API never names the model that answered",
    )
    tool_calling: Literal["listed", "confirmed"] = Field(
        default="listed",
        description="`confirmed` where litellm's list denies tool calling and `routes check` has shown it",
    )
    limits: RouteLimits = Field(default_factory=RouteLimits)
    price: Price | None = Field(default=None, description="in place of litellm's price map")
    prompt_cache: Literal["on", "off"] = Field(
        default="on",
        description="mark the stable beginning of each prompt where the wire has a mark for it",
    )
    allow: list[Literal["cut_prompts", "text_calls"]] = Field(
        default_factory=list,
        description="play on where prompts are counted shorter than sent, or calls come as text alone",
    )
    mock: MockSettings | None = Field(default=None, description="for mock/... models alone")

    @field_validator("params", "options")
    @classmethod
    def _no_control(cls, value: dict[str, Json]) -> dict[str, Json]:
        wrong = misplaced(value)
        if wrong is not None:
            raise ValueError(wrong)
        return value

    @field_validator("settings", mode="before")
    @classmethod
    def _no_secret(cls, value: Any) -> Any:
        wrong = secret_setting(value)
        if wrong is not None:
            raise ValueError(wrong)
        return value

    @model_validator(mode="after")
    def _consistent(self) -> RouteEntry:
        if self.mock is not None and not self.is_mock:
            raise ValueError("`mock` belongs to models mock/... alone")
        twice = sorted(self.params.keys() & self.options.keys())
        if twice:
            raise ValueError(f"given in `params` and in `options`: {', '.join(twice)}")
        budget = self.thinking_budget
        if budget is not None and budget + ANSWER_TOKENS > self.ceiling:
            raise ValueError(
                f"`params.thinking.budget_tokens` of {budget} must leave at least {ANSWER_TOKENS} tokens of"
                f" `ceiling`, which is {self.ceiling}"
            )
        return self

    @property
    def is_mock(self) -> bool:
        return self.model.startswith(MOCK)

    @property
    def thinking_budget(self) -> int | None:
        """The tokens that `params.thinking` budgets, None where it sets no budget."""
        thinking = self.params.get("thinking")
        budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
        return budget if isinstance(budget, int) else None

    @property
    def key_variables(self) -> dict[str, str]:
        """litellm's key parameters and the environment variables that hold them."""
        if self.key_env is None:
            return {}
        return {"api_key": self.key_env} if isinstance(self.key_env, str) else dict(self.key_env)

    @property
    def accepted_ids(self) -> frozenset[str]:
        """Model ids under which an answer is accepted: the requested one without its provider, and those listed."""
        return frozenset({self.model.partition("/")[2] or self.model, *self.accepted})
