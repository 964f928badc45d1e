"""The answers first: who earns, at whose expense, how sure; each sentence is made of published cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reports import numbers
from reports.claims import Claims, Figure, Sentence, figure, text_figure
from reports.sources import Cell, Line
from reports.view import View

FAMILIES: Final[Mapping[str, str]] = {
    "private": "private gains",
    "directed": "directed externalities",
    "total": "total externalities",
    "market": "market differences",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A question that a reader has, and the sentences that answer it."""

    question: str
    sentences: Sequence[Sentence]


def answers(view: View, claims: Claims) -> list[Answer]:
    """Return the three answers; each says what is missing where something is."""
    return [
        Answer(question="Who earns?", sentences=list(_who_earns(view, claims))),
        Answer(question="At whose expense?", sentences=list(_at_whose_expense(view, claims))),
        Answer(question="How sure is it?", sentences=list(_how_sure(view, claims))),
    ]


def _who_earns(view: View, claims: Claims) -> Iterator[Sentence]:
    ranked = [
        line for line in view.table("operating.csv").where(reference=view.first_reference) if line["rank"]
    ]
    if not ranked:
        yield claims.say("No world has ended and been analysed, so there is no Score to tell of.")
        return
    first, last = ranked[0], ranked[-1]
    yield _leader(view, first, claims)
    if len(ranked) > 1:
        yield claims.say(
            "{who} is last with {mean}.",
            who=last.text("contestant"),
            mean=figure(last.cell("mean_score_cents"), view.money.text),
        )
    yield from _counts(view, claims)


def _leader(view: View, line: Line, claims: Claims) -> Sentence:
    who, mean = line.text("contestant"), figure(line.cell("mean_score_cents"), view.money.text)
    if line["ci_low_cents"] is None:
        return claims.say("{who} has the highest Mean Score, {mean}.", who=who, mean=mean)
    return claims.say(
        "{who} has the highest Mean Score, {mean}, with a {level} interval from {low} to {high}.",
        who=who,
        mean=mean,
        level=figure(line.cell("ci_level"), _level),
        low=figure(line.cell("ci_low_cents"), view.money.text),
        high=figure(line.cell("ci_high_cents"), view.money.text),
    )


def _counts(view: View, claims: Claims) -> Iterator[Sentence]:
    if view.summary.missing or view.first_reference not in view.summary.content["references"]:
        return

    def counted(name: str) -> Figure:
        return figure(view.summary.cell("references", view.first_reference, "counts", name), numbers.count)

    counts = view.summary.content["references"][view.first_reference]["counts"]
    leaves = view.published.role("exit") is not None
    unobserved = "unobserved_contestants" in counts and counts["unobserved_contestants"] > 0
    yield claims.say(
        "{positive} of {all} contestants have a Mean Score above zero"
        + (", {unobserved} not observed" if unobserved else "")
        + (
            "; {left} of {outcomes} firms leave early and {negative} end"
            if leaves
            else "; {negative} of {outcomes} firms end"
        )
        + " below zero.",
        positive=counted("positive_mean_scores"),
        all=counted("all_contestants" if unobserved else "contestants"),
        **({"unobserved": counted("unobserved_contestants")} if unobserved else {}),
        **({"left": counted("bankruptcies")} if leaves else {}),
        outcomes=counted("outcomes"),
        negative=counted("negative_scores"),
    )


def _at_whose_expense(view: View, claims: Claims) -> Iterator[Sentence]:
    if view.seats == 1:
        yield claims.say(
            "The study seats one firm: externality needs rivals, and there is none that could lose or gain."
        )
        return
    market = view.table("market_summary.csv")
    totals = _known(market.where(reference=view.first_reference, estimand="total"))
    if not totals and _known(market.where(reference=view.first_reference, estimand="market")):
        yield claims.say("Everybody is replaced at once: no rival is left to lose or gain.")
        return
    if not totals:
        yield claims.say(
            "No matched pair is complete: what a contestant costs its rivals cannot be told."
            if view.references
            else "The study replaces nobody: what a contestant costs its rivals was not asked."
        )
        return
    yield from _gainer(view, claims)
    worst, best = min(totals, key=_mean), max(totals, key=_mean)
    if _mean(worst) < 0:
        yield _rivals(view, "Rivals lose most with {who}", worst, claims)
    if _mean(best) > 0:
        yield _rivals(view, "Rivals gain most with {who}", best, claims)
    yield from _extremes(view, claims)


def _rivals(view: View, opening: str, line: Line, claims: Claims) -> Sentence:
    return claims.say(
        opening + ": together {total} against {reference} in its seat.",
        who=line.text("entrant"),
        total=figure(line.cell("mean_cents"), view.money.signed),
        reference=line.text("reference"),
    )


def _gainer(view: View, claims: Claims) -> Iterator[Sentence]:
    """Tell whether the one with the greatest private gain makes the market richer too."""
    private = _known(view.table("private_summary.csv").where(reference=view.first_reference))
    if not private:
        return
    top = max(private, key=_mean)
    market = view.table("market_summary.csv")
    keys = {"reference": view.first_reference, "entrant": top["entrant"]}
    total, whole = (market.one(**keys, estimand=name) for name in ("total", "market"))
    if total is None or whole is None or total["mean_cents"] is None or whole["mean_cents"] is None:
        return
    opening = (
        "{who} gains most for itself" if _mean(top) > 0 else "Nobody gains for itself; {who} loses least"
    )
    yield claims.say(
        opening + ", {private}; its rivals together get {total}, all firms together {market}.",
        who=top.text("entrant"),
        private=figure(top.cell("mean_cents"), view.money.signed),
        total=figure(total.cell("mean_cents"), view.money.signed),
        market=figure(whole.cell("mean_cents"), view.money.signed),
    )


def _extremes(view: View, claims: Claims) -> Iterator[Sentence]:
    directed = _known(view.table("directed_summary.csv").where(reference=view.first_reference))
    if not directed:
        return
    harm, help_ = min(directed, key=_mean), max(directed, key=_mean)
    for line, name, column in ((harm, "harm", "negative_seeds"), (help_, "help", "positive_seeds")):
        if _mean(line) == 0 or (_mean(line) < 0) != (name == "harm"):
            continue
        yield claims.say(
            f"The greatest {name} of one to another: {{entrant}} to {{rival}}, {{mean}},"
            " with that sign in {same} of {seeds}.",
            entrant=line.text("entrant"),
            rival=line.text("rival"),
            mean=figure(line.cell("mean_cents"), view.money.signed),
            same=figure(line.cell(column), numbers.count),
            seeds=figure(line.cell("clusters"), _seeds),
        )


def _how_sure(view: View, claims: Claims) -> Iterator[Sentence]:
    if view.summary.missing or view.first_reference not in view.summary.content["references"]:
        yield claims.say(
            "There is no summary of the statistics, so nothing can be said of how sure they are."
        )
        return
    reference = view.first_reference
    found = view.summary.content["references"][reference]
    seeds = figure(view.summary.cell("references", reference, "clusters"), _seeds)
    if found["clusters"] < 2:
        yield claims.say(
            "{seeds} with a matched pair: there is no interval and no test, only a description.", seeds=seeds
        )
    else:
        yield claims.say(
            "{seeds}: each is one independent observation of the market, however many worlds it has.",
            seeds=seeds,
        )
    yield from _verdicts(view, claims, reference)
    yield from _criterion(view, claims, reference)


def _verdicts(view: View, claims: Claims, reference: str) -> Iterator[Sentence]:
    """Tell each family's verdicts by itself: every one of them is held at a level of its own."""
    families = view.summary.content["references"][reference].get("families", {})

    def counted(family: str, verdict: str) -> Figure:
        return figure(view.summary.cell("references", reference, "families", family, verdict), numbers.count)

    for family, verdicts in families.items():
        if verdicts["rejected"]:
            yield claims.say(
                f"By joint sign flips {{rejected}} {FAMILIES[family]} differ from zero; {{kept}} are not told"
                " apart from it.",
                rejected=counted(family, "rejected"),
                kept=counted(family, "not rejected"),
            )
    for verdict, opening, closing in (
        ("not rejected", "Joint sign flips tell none of ", " apart from zero."),
        (
            "cannot reject by design",
            "No sign-flip test can reject, whatever the data say, for ",
            ": there are too few seeds.",
        ),
    ):
        here = [name for name, found in families.items() if found[verdict] and not found["rejected"]]
        if here:
            listed = ", ".join(f"{{{name}}} {FAMILIES[name]}" for name in here)
            yield claims.say(opening + listed + closing, **{name: counted(name, verdict) for name in here})


def _criterion(view: View, claims: Claims, reference: str) -> Iterator[Sentence]:
    criterion = view.summary.content["references"][reference]["display_criterion"]
    if "directed" not in criterion or not criterion["directed"]["of"]:
        return

    def cell(name: str) -> Cell:
        return view.summary.cell("references", reference, "display_criterion", "directed", name)

    by_chance = cell("by_chance_without_seed_variance")
    if by_chance.value is None:
        return
    yield claims.say(
        "The paper's |mean| > SD marks {passing} of {all} directed effects; {chance} would pass by chance if seeds"
        " made no difference.",
        passing=figure(cell("passing"), numbers.count),
        all=figure(cell("of"), numbers.count),
        chance=figure(by_chance, _one_decimal),
    )


def design_caption(view: View, claims: Claims, reference: str) -> Sentence:
    """Return what a caption owes: worlds, seeds and baseline."""
    if view.summary.missing or reference not in view.summary.content["references"]:
        return claims.say("No summary of the statistics says from how many worlds and seeds.")
    worlds = {
        name: figure(view.summary.cell("worlds", name), numbers.count) for name in ("finished", "planned")
    }
    seeds = text_figure(view.summary.cell("references", reference, "seeds"))
    if not reference:
        return claims.say(
            "{finished} of {planned} worlds; seeds {seeds}; nobody is replaced.", **worlds, seeds=seeds
        )
    return claims.say(
        "{finished} of {planned} worlds; seeds {seeds}; baseline {reference}.",
        **worlds,
        seeds=seeds,
        reference=reference,
    )


def _known(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line["mean_cents"] is not None]


def _mean(line: Line) -> float:
    return line.number("mean_cents") or 0.0


def _seeds(number: float) -> str:
    return "1 seed" if number == 1 else f"{numbers.count(number)} seeds"


def _level(share: float) -> str:
    return f"{share * 100:g}\N{NO-BREAK SPACE}%"


def _one_decimal(number: float) -> str:
    return f"{number:.1f}"
