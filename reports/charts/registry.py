"""Every chart of the index by name: what it is called, what it shows, what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from reports.charts import bars, evidence, forest, matrix, paths
from reports.charts.drawing import AnyChart, Frame
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


def charts(view: View) -> Iterator[Chart]:
    """Yield the charts of a run; those against a reference policy once for each."""
    for kind in _KINDS:
        references = view.references or ("",) if kind.by_reference else (view.first_reference,)
        for reference in references:
            first = reference == view.first_reference
            build = partial(kind.build, reference=reference) if kind.by_reference else kind.build
            yield Chart(
                name=kind.name if first else f"{kind.name}-{reference}",
                title=kind.title
                if not kind.by_reference or not reference
                else f"{kind.title}, against {reference}",
                caption=kind.caption,
                needs=kind.needs,
                build=build,
                reference=reference,
            )


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
        caption="Row: the entrant; column: the rival whose Score changes, in thousand USD. Blue: the rival earns more"
        " while the entrant is there, orange: less. A frame marks |mean| > SD over single observations.",
        needs=PAIRS,
        build=matrix.heat_map,
        by_reference=True,
    ),
    _Kind(
        name="network",
        title="The externality network",
        caption="An arrow leads from an entrant to a rival whose Score it changes, as wide as the mean effect;"
        " arrows that do not pass |mean| > SD are faint.",
        needs=PAIRS,
        build=matrix.network,
        by_reference=True,
    ),
    _Kind(
        name="accounts",
        title="Demand and spending",
        caption="Each effect as the sum of its accounts; the diamond is the effect itself. Spending to the right of"
        " zero is money saved.",
        needs=PAIRS,
        build=bars.accounts,
        by_reference=True,
    ),
    _Kind(
        name="spending",
        title="Rivals' spending responses",
        caption="One panel an entrant: what all its rivals together save (blue) or spend more (orange) by account."
        " Goods and their holding follow sales and stand in the table.",
        needs=PAIRS,
        build=bars.spending,
        by_reference=True,
    ),
    _Kind(
        name="decomposition",
        title="Direct and adaptive externality",
        caption="One panel an entrant, one bar a rival: the part with everybody else's decisions held still, and the"
        " part that their re-decision adds; the diamond is the sum.",
        needs="no hybrid worlds; `tournament decompose` plays them from recorded seals",
        build=bars.decomposition,
        by_reference=True,
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
        caption="Closing cash of every firm, down-sampled. A cross marks a bankruptcy.",
        needs=DAILY,
        build=paths.cash_by_market,
    ),
    _Kind(
        name="cash-agents",
        title="Cash by contestant, all markets",
        caption="One line a firm, down-sampled. A cross marks a bankruptcy.",
        needs=DAILY,
        build=paths.cash_by_agent,
    ),
    _Kind(
        name="cash-all",
        title="Cash in every market",
        caption="Closing cash of every firm in thousand USD by day, down-sampled. A cross marks a bankruptcy.",
        needs=DAILY,
        build=paths.all_markets,
    ),
    _Kind(
        name="paths",
        title="Share, prices, stock-outs and spending",
        caption="Means over all firms of a contestant that are in business, window by window; spending on a root scale.",
        needs="no paths.csv with a finished world",
        build=paths.measures,
    ),
    _Kind(
        name="tenders",
        title="Tenders in the markets of the reference lineup",
        caption="Grey ticks: reservation prices by closing day; dots: winning bids. A tick without a dot found no"
        " qualified bid.",
        needs="no finished world of the reference lineup keeps a table of tenders",
        build=paths.tender_results,
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
        needs="no power table; `tournament power RUN --effect DOLLARS` makes it",
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
