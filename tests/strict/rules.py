"""What a strict wire is made of: published rules of a request's history, and how a provider words a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = Any
Request = Mapping[str, Json]
Given = Sequence[Mapping[str, Json]]
# A rule reads one request, and what the server has answered so far; it returns the provider's own words
# where the request breaks it, and None where it does not.
Check = Callable[[Request, Given], "str | None"]
Answer = Callable[["Rule", str], Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of one wire; `source` is the public address that shows it, `code` the provider's error code."""

    name: str
    source: str
    check: Check
    status: int = 400
    code: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One request that was refused: the rule, the words, and the place of the request among all asked."""

    rule: str
    words: str
    request: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """One provider's interface: where it listens, its rules in order, and its error body."""

    name: str
    path: str
    rules: tuple[Rule, ...]
    error: Answer
    good: Callable[[Request], Json]
    streams_unless_told: bool = False
    seen_tokens: Callable[[Request], int] | None = None

    def broken(self, request: Request, given: Given) -> tuple[Rule, str] | None:
        """Return the first rule that a request breaks, with the provider's words; None where it keeps all."""
        for rule in self.rules:
            words = rule.check(request, given)
            if words is not None:
                return rule, words
        return None


def rule(source: str, *, status: int = 400, code: Json = None) -> Callable[[Check], Rule]:
    """Make a rule of a check, under the check's own name."""

    def make(check: Check) -> Rule:
        name = getattr(check, "__name__", "")
        return Rule(name=name, source=source, check=check, status=status, code=code)

    return make


def mappings(value: Json) -> list[Mapping[str, Json]]:
    """Return the objects of a list, and nothing where it is none."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def first(found: Iterator[str]) -> str | None:
    """Return the first complaint, or None."""
    return next(found, None)
