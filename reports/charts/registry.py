"""Every chart of the index by name: what it is called, what it shows, what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from reports.charts import bars, evidence, forest, matrix, paths
from reports.charts.drawing import AnyChart, Frame
from reports.labels import averaged
from reports.parts import built_chart, of_place
from reports.view import View

Build = Callable[[View, Frame], AnyChart | None]
PAIRS: Final = "no matched pair of finished worlds"
DAILY: Final = "no finished world with its daily table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One chart of a run; `caption` explains its marks, `needs` says why there is none."""

    name: str
    title: str
    caption: str
    needs: str
    build: Build
    reference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    name: str
    title: str
    caption: str
    needs: str
    build: Callable[..., AnyChart | None]
    by_reference: bool = False
    offered: Callable[[View], bool] = lambda view: True
    note: Callable[[View], str] = lambda view: ""


def charts(view: View) -> Iterator[Chart]:
    """Yield the charts that the run's market and seats offer, the market's own last.

    Those against a reference policy come once for each.
    """
    yield from _standard(view)
    for part in of_place(view, "index", "chart"):
        yield Chart(
            name=part.name,
            title=part.title,
            caption=part.caption,
            needs=part.needs,
            build=partial(built_chart, part),
        )


def _standard(view: View) -> Iterator[Chart]:
    for kind in _KINDS:
        if not kind.offered(view):
            continue
        references = view.references or ("",) if kind.by_reference else (view.first_reference,)
        for reference in references:
            first = reference == view.first_reference
            build = partial(kind.build, reference=reference) if kind.by_reference else kind.build
            yield Chart(
                name=kind.name if first else f"{kind.name}-{reference}",
                title=kind.title
                if not kind.by_reference or not reference
                else f"{kind.title}, against {reference}",
                caption=f"{kind.caption.format(unit=view.money.unit, axis=view.units.axis)}{kind.note(view)}",
                needs=kind.needs,
                build=build,
                reference=reference,
            )


def _has_rivals(view: View) -> bool:
    return view.seats > 1


def _has_cash(view: View) -> bool:
    return view.published.daily_cash is not None


def _has_accounts(view: View) -> bool:
    return bool(view.published.accounts)


def _has_exit(view: View) -> bool:
    return view.published.role("exit") is not None


def _crosses(view: View) -> str:
    return " A cross marks the exit of a firm." if _has_exit(view) else ""


def _roots(view: View) -> str:
    titles = [series.title for series in averaged(view.published) if series.scale == "sqrt"]
    return f" On a root scale: {', '.join(titles)}." if titles else ""


_KINDS: Final = (
    _Kind(
        name="operating",
        title="Mean Score",
        caption="Large dot: Mean Score; bar: its t interval on seed means; small dots: means within each lineup.",
        needs="no finished world has been analysed",
        build=forest.operating,
    ),
    _Kind(
        name="private-market",
        title="Private gain and market difference",
        caption="Circle: what the entrant itself gains; diamond: what all firms together gain; bars: t intervals on"
        " seed means; ticks: single matched pairs.",
        needs=PAIRS,
        build=forest.private_and_market,
        by_reference=True,
    ),
    _Kind(
        name="directed",
        title="Directed externalities",
        caption="Row: the entrant; column: the rival whose Score changes, in {unit}. Blue: the rival earns more"
        " while the entrant is there, orange: less. A frame marks |mean| > SD over single observations.",
        needs=PAIRS,
        build=matrix.heat_map,
        by_reference=True,
        offered=_has_rivals,
    ),
    _Kind(
        name="network",
        title="The externality network",
        caption="An arrow leads from an entrant to a rival whose Score it changes, as wide as the mean effect;"
        " arrows that do not pass |mean| > SD are faint.",
        needs=PAIRS,
        build=matrix.network,
        by_reference=True,
        offered=_has_rivals,
    ),
    _Kind(
        name="accounts",
        title="Income and spending",
        caption="Each effect as the sum of its accounts; the diamond is the effect itself. Spending to the right of"
        " zero is money saved.",
        needs=PAIRS,
        build=bars.accounts,
        by_reference=True,
        offered=_has_accounts,
    ),
    _Kind(
        name="spending",
        title="Rivals' spending responses",
        caption="One panel an entrant: what all its rivals together save (blue) or spend more (orange) by account."
        " Goods follow sales and stand in the table.",
        needs=PAIRS,
        build=bars.spending,
        by_reference=True,
        offered=lambda view: _has_rivals(view) and bool(bars.spending_accounts(view)),
    ),
    _Kind(
        name="decomposition",
        title="Direct and adaptive externality",
        caption="One panel an entrant, one bar a rival: the part with everybody else's decisions held still, and the"
        " part that their re-decision adds; the diamond is the sum.",
        needs="no hybrid worlds; `tournament decompose` plays them from recorded seals",
        build=bars.decomposition,
        by_reference=True,
        offered=_has_rivals,
    ),
    _Kind(
        name="baselines",
        title="The same effects against each reference policy",
        caption="At the seed that all reference policies share, both sides averaged over its repeats.",
        needs="fewer than two reference policies share a seed",
        build=forest.baselines,
    ),
    _Kind(
        name="cash-markets",
        title="Cash in the markets of the reference lineup",
        caption="Closing cash of every firm, down-sampled.",
        needs=DAILY,
        build=paths.cash_by_market,
        offered=_has_cash,
        note=_crosses,
    ),
    _Kind(
        name="cash-agents",
        title="Cash by contestant, all markets",
        caption="One line a firm, down-sampled.",
        needs=DAILY,
        build=paths.cash_by_agent,
        offered=_has_cash,
        note=_crosses,
    ),
    _Kind(
        name="cash-all",
        title="Cash in every market",
        caption="Closing cash of every firm in {unit} by {axis}, down-sampled.",
        needs=DAILY,
        build=paths.all_markets,
        offered=_has_cash,
        note=_crosses,
    ),
    _Kind(
        name="paths",
        title="The average firm's way through a world",
        caption="Means over all firms of a contestant that are in business, window by window.",
        needs="no paths.csv with a finished world",
        build=paths.measures,
        offered=lambda view: bool(averaged(view.published)),
        note=_roots,
    ),
    _Kind(
        name="health",
        title="What entrants do to the market's health",
        caption="Matched differences with t intervals on seed means; right of zero the entrant raises the measure.",
        needs=PAIRS,
        build=forest.health,
    ),
    _Kind(
        name="ranks",
        title="Ranks from run to run",
        caption="Rank by the mean over the run's lineups; a run is one seed and repeat of all lineups.",
        needs="fewer than two runs of all lineups",
        build=evidence.ranks,
    ),
    _Kind(
        name="components",
        title="Where the variance of an effect lies",
        caption="Pooled over all effects of an estimand.",
        needs="no seed has two repeats, so that the parts cannot be told apart",
        build=evidence.components,
    ),
    _Kind(
        name="criterion",
        title="The display criterion and chance",
        caption="How many effects pass |mean| > SD, and how many would if there were nothing to see, for several shares"
        " of the seed in the variance.",
        needs="no effect has two observations",
        build=evidence.criterion,
    ),
    _Kind(
        name="power",
        title="The least effect that this design shows",
        caption="Dot: at the estimated variances; line: at the ends of their intervals.",
        needs="no power table; `tournament power RUN --effect AMOUNT` makes it",
        build=evidence.power,
    ),
    _Kind(
        name="reliability",
        title="How windows ended",
        caption="All finished worlds together.",
        needs="no finished world has been analysed",
        build=bars.reliability,
    ),
)
