"""Tables of how sure one can be: stability, chance rates, variances, agreement, comparisons, power, seats."""

from __future__ import annotations

from reports.claims import Sentence
from reports.tables.effects import ENTRANT, RIVAL
from reports.tables.model import Column, Grid, Kind, grid
from reports.tables.performance import NOTE, against, count, interval, money, share, to_contestant
from reports.view import View

ESTIMAND = Column(source="estimand", label="Estimand")
DECIMAL: Kind = "decimal"
P: Kind = "probability"


def stability(view: View, caption: Sentence) -> Grid:
    table = view.table("stability.csv")
    columns = (
        ENTRANT,
        RIVAL,
        ESTIMAND,
        *against(view),
        money("mean_cents", "Mean"),
        money("sd_cents", "SD"),
        Column(source="exceeds_sd", label="|mean| > SD", kind="flag"),
        count("same_sign", "With the mean's sign"),
        count("positive", "Above zero"),
        count("observations", "n"),
        Column(source="structure", label="Observations a seed"),
        share("chance_share_0", "By chance, no seed variance"),
        share("chance_estimated", "By chance, estimated share"),
        share("seed_share", "Seed's share"),
        NOTE,
    )
    return grid(
        view.units,
        "stability",
        "Signs and spread of every effect",
        columns,
        table,
        caption=caption,
        notes=("Unweighted observations: a seed with repeats counts as often.",),
        missing=table.missing,
        link=to_contestant,
        strong=lambda line: line["exceeds_sd"] is True,
    )


def chance(view: View, caption: Sentence) -> Grid:
    table = view.table("chance.csv")
    columns = (
        ESTIMAND,
        *against(view),
        Column(source="structure", label="Observations a seed"),
        share("seed_share", "Seed's share of variance"),
        Column(source="source", label="Share is"),
        share("rate", "Chance rate an effect"),
        Column(source="expected", label="Expected by chance", kind=DECIMAL),
        count("passing", "Passing"),
        count("effects", "Effects"),
    )
    title = "The display criterion and chance"
    return grid(view.units, "chance", title, columns, table, caption=caption, missing=table.missing)


def components(view: View, caption: Sentence) -> Grid:
    table = view.table("components.csv")
    columns = (
        ESTIMAND,
        ENTRANT,
        *against(view),
        Column(source="component", label="Component"),
        money("sd_cents", "SD"),
        interval("sd_low_cents", "sd_high_cents", "Interval of SD"),
        share("share", "Share of variance"),
        Column(source="degrees", label="Degrees of freedom", kind=DECIMAL),
        NOTE,
    )
    return grid(
        view.units,
        "components",
        "Variance between seeds and between repeats",
        columns,
        table,
        caption=caption,
        notes=("A row without an entrant is pooled over the estimand's effects.",),
        missing=table.missing,
    )


def pairwise(view: View, caption: Sentence) -> Grid:
    table = view.table("pairwise.csv")
    columns = (
        Column(source="a", label="Higher", emphasis=True),
        Column(source="b", label="Lower", emphasis=True),
        *against(view),
        money("difference_cents", "Difference"),
        interval("t_low_cents", "t_high_cents", "t interval"),
        interval("bonferroni_low_cents", "bonferroni_high_cents", "Bonferroni"),
        interval("tukey_low_cents", "tukey_high_cents", "Tukey"),
        Column(source="probability_a_higher", label="P(higher is higher)", kind=P),
        share("worlds_a_higher", "Worlds won"),
        count("worlds", "Worlds"),
        count("seeds", "Seeds"),
        NOTE,
    )
    title = "Differences of Mean Scores, two by two"
    return grid(view.units, "pairwise", title, columns, table, caption=caption, missing=table.missing)


def agreement(view: View, caption: Sentence) -> Grid:
    table = view.table("icc.csv")
    columns = (
        *against(view),
        Column(source="layout", label="Layout"),
        Column(source="coefficient", label="Coefficient", emphasis=True),
        Column(source="value", label="Value", kind=DECIMAL),
        Column(source="low", label="Low", kind=DECIMAL),
        Column(source="high", label="High", kind=DECIMAL),
        Column(source="f", label="F", kind=DECIMAL),
        Column(source="p_f", label="p", kind=P),
        share("share_between", "Between agents"),
        share("share_within", "Within agents"),
        count("agents", "Agents"),
        count("columns", "Seeds or runs"),
        NOTE,
    )
    return grid(
        view.units,
        "icc",
        "Agreement of Mean Scores over seeds and runs",
        columns,
        table,
        caption=caption,
        notes=("Shares are of the sum of squares.",),
        missing=table.missing,
    )


def splits(view: View, caption: Sentence) -> Grid:
    table = view.table("splits.csv")
    columns = (
        *against(view),
        count("seeds", "Seeds"),
        count("splits", "Splits"),
        Column(source="enumerated", label="All of them", kind="flag"),
        Column(source="spearman", label="Mean rank correlation", kind=DECIMAL),
        Column(source="spearman_low", label="Its lowest part", kind=DECIMAL),
        share("same_leader", "Same leader"),
        share("same_leaders", "Same leading three"),
        NOTE,
    )
    title = "Split halves over whole seeds"
    return grid(view.units, "splits", title, columns, table, caption=caption, missing=table.missing)


def mixed(view: View, caption: Sentence) -> Grid:
    table = view.table("mixed.csv")
    columns = (
        *against(view),
        Column(source="term", label="Term", emphasis=True),
        money("sd_cents", "SD"),
        interval("sd_low_cents", "sd_high_cents", "Interval of SD"),
        Column(source="degrees", label="Degrees of freedom", kind=DECIMAL),
        count("levels", "Levels"),
        NOTE,
    )
    title = "A mixed model of Scores, as a description"
    return grid(view.units, "mixed", title, columns, table, caption=caption, missing=table.missing)


def power(view: View, caption: Sentence) -> Grid:
    table = view.table("power.csv")
    columns = (
        Column(source="question", label="Question"),
        *against(view),
        ESTIMAND,
        ENTRANT,
        money("effect_cents", "Effect"),
        Column(source="variance_end", label="Variances at"),
        count("repeats", "Repeats"),
        count("seeds", "Seeds"),
        count("worlds", "Worlds"),
        share("power", "Power"),
        share("simulated_power", "Simulated"),
        share("target_power", "Asked for"),
        Column(source="alpha", label="Level", kind=P),
        Column(source="flips_can_reject", label="Sign flips can reject", kind="flag"),
        count("model_replies", "Model replies"),
        Column(source="usd", label="Cost", kind="usd", unit="USD"),
        NOTE,
    )
    return grid(
        view.units,
        "power",
        "Power: what would be needed, what this design shows",
        columns,
        table,
        caption=caption,
        notes=(
            "Needed: seeds for the effect asked for. Present: the least effect that this design shows with"
            " the power asked for. Low, estimate, high: ends of the variances' intervals.",
        ),
        missing=table.missing and f"{table.missing}: `tournament power RUN --effect AMOUNT` makes it",
    )


def seats(view: View, caption: Sentence) -> Grid:
    table = view.table("seats.csv")
    columns = (
        Column(source="method", label="Method"),
        Column(source="lineup", label="Lineup"),
        count("seat", "Seat"),
        money("effect_cents", "Effect"),
        interval("low_cents", "high_cents"),
        money("se_cents", "Standard error"),
        count("clusters", "Seeds"),
        count("worlds", "Worlds"),
        NOTE,
    )
    return grid(view.units, "seats", "Seat effects", columns, table, caption=caption, missing=table.missing)
