"""What a market publishes: the declaration from which every table, chart and command above it is made.

Nothing above `market/` knows a column, an account or a unit by name. A market says here what its worlds
give, in words that can be printed; the declaration is JSON, travels in a run's manifest, and so a run can
be read where its market is not installed. `tournament.conformance` checks it against what worlds give.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

ScoreKind = Literal["score", "cash"]
Role = Literal["", "score", "cash", "salvage", "exit", "income"]
MOST_SEATS: Final = 16

_NAME: Final = r"^[a-z][a-z0-9_]*$"
_COLUMN: Final = r"^[A-Za-z][A-Za-z0-9_]*$"


class _Declared(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OutcomeColumn(_Declared):
    """A column of `outcomes.csv`, one value a seat of a finished world.

    `role` tells the statistics what they may do with it: `score` (exactly one column: the final Score, in
    cents), `cash` (closing cash, the sum of the seat's postings), `salvage` (what of the Score is no cash:
    the cash-only score leaves it out), `exit` (the time step in which a firm left, empty for a firm that
    did not), `income` (what market shares are shares of). A market without a role does not offer what
    rests on it.
    """

    name: str = Field(pattern=_NAME)
    kind: Literal["money", "count", "time", "ratio"]
    unit: str = Field(min_length=1, description="what one is: cents, units, tenders, thousandths, days")
    sentence: str = Field(min_length=1, description="what it is, as a table's legend says it")
    role: Role = ""
    summary: bool = Field(default=False, description="whether it belongs into a summary of operations")
    after_windows: bool = Field(default=False, description="whether it stands behind the windows' counts")


class EffectAccount(_Declared):
    """One account into which every effect on a Score is split, exactly.

    A Score is a constant plus the sum of sign x column over the accounts that have its kind in `scores`.
    `ledger` names the ledger's accounts whose postings make the column: their cents sum to sign x column.
    """

    name: str = Field(pattern=_NAME)
    column: str = Field(pattern=_NAME, description="its outcome column, in cents")
    sign: Literal[-1, 1]
    scores: tuple[ScoreKind, ...] = ("score", "cash")
    group: Literal["income", "goods", "spending", "terminal"] = Field(
        description="income; goods (what follows sales); spending (what is decided); terminal (only at the end)"
    )
    ledger: tuple[str, ...] = ()


class MeasureColumn(_Declared):
    """A measure of how healthy a world's market was: one value a world, or one a group of customers."""

    name: str = Field(pattern=_NAME)
    title: str = Field(min_length=1)
    unit: str = Field(min_length=1)
    sentence: str = Field(min_length=1, description="its formula in words, with its source")


class Series(_Declared):
    """A path worth drawing: a value a window and firm, in `series.parquet`; `averaged`: also in paths.csv."""

    name: str = Field(pattern=_COLUMN)
    title: str = Field(min_length=1)
    sentence: str = Field(min_length=1)
    kind: Literal["money", "share", "ratio", "count"]
    scale: Literal["linear", "sqrt"] = "linear"
    from_zero: bool = True
    averaged: bool = True


class EventTable(_Declared):
    """Events worth marking: a table of every world by name, with the column of time and that of the seat."""

    table: str = Field(pattern=_NAME)
    title: str = Field(min_length=1)
    moment: str = Field(pattern=_NAME)
    seat: str | None = None


class SkillArea(_Declared):
    """A field of skill that a scorecard may grade, and what competence in it means."""

    name: str = Field(pattern=_NAME)
    title: str = Field(min_length=1)
    sentence: str = Field(min_length=1)


class TimeAxis(_Declared):
    """The market's unit of time, and how a place in it is spoken of.

    A world's steps count from 1. Of `steps_per_day` above one, a step is spoken of by day and hour, else
    by its unit; the first steps may have names of their own, and others are counted behind them.
    """

    unit: str = "day"
    plural: str = "days"
    steps_per_day: int = Field(default=1, ge=1, le=24)
    named: tuple[str, ...] = ()

    def moment(self, step: int) -> str:
        """Return how a step (from 1) is spoken of: `day 17`; `day 17, 12:00`; a name of its own."""
        if step <= len(self.named):
            return self.named[step - 1]
        day, part = divmod(step - len(self.named) - 1, self.steps_per_day)
        if self.steps_per_day == 1:
            return f"{self.unit} {day + 1}"
        return f"day {day + 1}, {part * 24 // self.steps_per_day:02d}:00"


class Currency(_Declared):
    """The currency of all `_cents` columns; a cent is a hundredth of its unit."""

    code: str = "USD"
    sign: str = "$"


class Published(_Declared):
    """Everything that a market's worlds give to readers; see each part.

    `effect_counts` are the count columns that stand beside the accounts of an effect. `daily_cash` is the
    column of closing cash in `daily.parquet`, `cash_fact` the observation's key for a seat's cash: both
    only where there is cash. `group` is what measures by group are grouped by (`segment`, say).
    """

    columns: tuple[OutcomeColumn, ...]
    accounts: tuple[EffectAccount, ...]
    effect_counts: tuple[str, ...] = ()
    measures: tuple[MeasureColumn, ...] = ()
    group: str = "segment"
    series: tuple[Series, ...] = ()
    events: tuple[EventTable, ...] = ()
    skills: tuple[SkillArea, ...] = ()
    time: TimeAxis = TimeAxis()
    currency: Currency = Currency()
    least_seats: int = Field(default=1, ge=1)
    most_seats: int = Field(default=MOST_SEATS, le=MOST_SEATS)
    daily_cash: str | None = None
    cash_fact: str | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> Published:
        names = [column.name for column in self.columns]
        roles = [column.role for column in self.columns if column.role]
        _require(len(set(names)) == len(names), "an outcome column is declared twice")
        _require(len(set(roles)) == len(roles), "two outcome columns have one role")
        _require("score" in roles, "no outcome column has the role `score`")
        _require(self.least_seats <= self.most_seats, "least_seats is above most_seats")
        for account in self.accounts:
            _require(account.column in names, f"account {account.name}: no outcome column {account.column}")
            cash = "cash" in account.scores
            _require(
                not cash or self.offers_cash_score, f"account {account.name}: there is no cash-only score"
            )
        for count in self.effect_counts:
            _require(count in names, f"effect_counts: no outcome column {count}")
        return self

    @cached_property
    def _roles(self) -> dict[str, OutcomeColumn]:
        return {column.role: column for column in self.columns if column.role}

    def role(self, role: Role) -> str | None:
        """Return the name of the outcome column with a role, None where the market has none."""
        found = self._roles.get(role)
        return None if found is None else found.name

    @property
    def score(self) -> str:
        """The outcome column of the final Score."""
        return self._roles["score"].name

    @property
    def offers_cash_score(self) -> bool:
        """Whether there is a Score without what is only worth something at the end."""
        return "salvage" in self._roles

    @property
    def score_kinds(self) -> tuple[ScoreKind, ...]:
        return ("score", "cash") if self.offers_cash_score else ("score",)

    def accounts_of(self, kind: ScoreKind) -> tuple[EffectAccount, ...]:
        """Return the accounts that make a Score of this kind."""
        return tuple(account for account in self.accounts if kind in account.scores)

    def outcome_names(self) -> tuple[str, ...]:
        """Return the outcome columns in their order, those behind the windows' counts last."""
        late = [column.name for column in self.columns if column.after_windows]
        return (*(column.name for column in self.columns if not column.after_windows), *late)


def _require(held: bool, sentence: str) -> None:
    if not held:
        raise ValueError(sentence)
