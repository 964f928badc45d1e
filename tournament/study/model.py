"""The shape of a study file: pydantic models that the JSON schema is generated from.

Shape and ranges only; what needs two fields at once (a contestant that is not declared, a seat filled
twice) is checked in tournament.study.file, where the places in the file are known.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag

from tournament.field_errors import LIST, OBJECT, SCALAR
from tournament.secret_patterns import looks_secret

MAX_SEED = 10**15 - 1


def _no_key(name: str) -> str:
    """Refuse what may be a pasted key: an id stands in every table, and in the name of the run's folder."""
    if looks_secret(name):
        raise ValueError("looks like a key (not shown); an id stands in every table, give a name")
    return name


StudyId = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9][a-z0-9-]*$",
        max_length=64,
        description="letters a-z, digits, hyphens, the first no hyphen",
    ),
    AfterValidator(_no_key),
]
ContestantId = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$",
        max_length=64,
        description="letters, digits, dots, underscores, hyphens, the first no dot and no hyphen",
    ),
    AfterValidator(_no_key),
]
Seed = Annotated[int, Field(ge=0, le=MAX_SEED, description="an integer from 0")]
Count = Annotated[int, Field(ge=1, le=1_000, description="a whole number from 1")]
Dollars = Annotated[float, Field(gt=0, description="US dollars, above 0")]


def _form(value: Any) -> str:
    """Which form of a field is meant, so that a mistake is reported for that form alone."""
    if isinstance(value, (dict, BaseModel)):
        return OBJECT
    return LIST if isinstance(value, (list, tuple)) else SCALAR


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class MarketEntry(_Entry):
    """A market with overrides of its parameters: a new scenario."""

    id: str = Field(min_length=1, description="registered market, name@version")
    overrides: dict[str, Any] = Field(
        default_factory=dict, description="parameters that differ from the market's"
    )


Market = Annotated[
    Annotated[str, Tag(SCALAR), Field(min_length=1)] | Annotated[MarketEntry, Tag(OBJECT)],
    Discriminator(_form),
]
Repeats = Annotated[
    Annotated[Count, Tag(SCALAR)] | Annotated[dict[Seed, Count], Tag(OBJECT)], Discriminator(_form)
]
Replaced = Annotated[
    Annotated[ContestantId, Tag(SCALAR)] | Annotated[list[ContestantId], Tag(LIST), Field(min_length=1)],
    Discriminator(_form),
]
Replace = Annotated[
    Annotated[Literal["all"], Tag(SCALAR)] | Annotated[list[Replaced], Tag(LIST), Field(min_length=1)],
    Discriminator(_form),
]
Routes = Annotated[
    Annotated[str, Tag(SCALAR), Field(min_length=1)]
    | Annotated[list[dict[str, Any]], Tag(LIST)]
    | Annotated[dict[str, dict[str, Any]], Tag(OBJECT)],
    Discriminator(_form),
]


class ContestantEntry(_Entry):
    """A policy with its parameters, and for a model policy the route that it speaks through."""

    policy: str = Field(min_length=1, description="registered policy, name@version")
    params: dict[str, Any] = Field(default_factory=dict, description="parameters of the policy")
    route: str | None = Field(default=None, min_length=1, description="id of a route, for model policies")


class ReferenceEntry(_Entry):
    """A contestant that replaces others, on all seeds and repeats of the study or on fewer."""

    contestant: ContestantId
    seeds: list[Seed] | None = Field(default=None, min_length=1, description="some of the study's seeds")
    repeats: Repeats | None = Field(default=None, description="at most the study's repeats")


class RunLimits(_Entry):
    """What a run may use; limits say when to stop, never what is played, and are not hashed."""

    worlds: Count | None = Field(default=None, description="worlds played at the same time")
    usd: Dollars | None = Field(default=None, description="dollars for the whole study")
    usd_per_world: Dollars | None = Field(default=None, description="dollars for one world")


class StudyFile(_Entry):
    """A study: one market, contestants in a lineup, who replaces whom, on which seeds."""

    study: StudyId
    market: Market = Field(description="registered market, or its id and overrides")
    seeds: list[Seed] = Field(min_length=1, description="economic seeds, none twice")
    repeats: Repeats = Field(default=1, description="per seed, or a map from seed to repeats")
    contestants: dict[ContestantId, ContestantEntry] = Field(
        min_length=1, description="id, shown in every table, to policy and parameters"
    )
    lineup: list[ContestantId] = Field(
        min_length=1, max_length=16, description="seats 1..N, as many as the market seats"
    )
    replace: Replace = Field(
        default="all", description="all, or contestants of the lineup; an item may be a list replaced at once"
    )
    references: list[ReferenceEntry] = Field(default_factory=list, description="who replaces")
    rotations: list[Annotated[int, Field(ge=0, le=15)]] = Field(
        default=[0], min_length=1, description="cyclic seat shifts of every lineup, none twice"
    )
    routes: Routes | None = Field(
        default=None,
        description="a routes file, or its entries: a mapping of ids to entries, or a list of entries with ids",
    )
    limits: RunLimits = Field(default_factory=RunLimits, description="what a run may use; not hashed")
