"""Tables of effects: private gains, externalities, single observations, baselines, accounts, parts, health."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from externalities.health import meanings
from reports.claims import Sentence
from reports.labels import heading, measure_title
from reports.sources import ACCOUNTS, Line, Table
from reports.tables.model import Column, Datum, Grid, Kind, datum, grid, shown
from reports.tables.performance import NOTE, against, count, interval, money, share, to_contestant
from reports.view import View

ENTRANT = Column(source="entrant", label="Entrant", emphasis=True)
RIVAL = Column(source="rival", label="Rival", emphasis=True)
P: Kind = "probability"
INFERENCE = (
    money("mean_cents", "Mean"),
    interval("t_low_cents", "t_high_cents", "t interval"),
    money("sd_cents", "SD"),
    count("positive_seeds", "Seeds above zero"),
    count("clusters", "Seeds"),
    count("observations", "n"),
    count("planned", "Planned"),
    interval("bca_low_cents", "bca_high_cents", "BCa interval"),
    Column(source="p_t", label="p, t", kind=P),
    Column(source="p_flip", label="p, sign flips", kind=P),
    Column(source="p_max_t", label="p, max-T", kind=P),
    Column(source="p_smallest", label="Least p", kind=P),
    Column(source="p_bh", label="Benjamini–Hochberg", kind=P),
    Column(source="p_by", label="Benjamini–Yekutieli", kind=P),
    Column(source="verdict", label="Verdict"),
    Column(source="sign", label="Sign"),
    NOTE,
)
INFERENCE_NOTES = (
    "Seeds are the clusters; repeats are averaged within a seed first. Least p: the smallest that the design allows.",
    "A dash is an undefined value; where fewer than six seeds are there, bootstrap and sign flips are not reported.",
)


def externalities(view: View, caption: Sentence) -> Grid:
    """The paper's table 3: private, total, mean and market difference of each entrant side by side."""
    private = view.table("private_summary.csv")
    market = view.table("market_summary.csv")
    columns = (
        ENTRANT,
        *against(view),
        money("mean_cents", "Private gain"),
        interval("t_low_cents", "t_high_cents", "Private interval"),
        money("mean_cents", "Total externality"),
        money("mean_cents", "Mean externality"),
        money("mean_cents", "Market difference"),
        interval("t_low_cents", "t_high_cents", "Market interval"),
        count("positive_seeds", "Seeds with market above zero"),
        count("clusters", "Seeds"),
        count("observations", "n"),
    )
    rows = tuple(_effect_row(view, line, columns) for line in private)
    return Grid(
        name="externalities",
        title="Private returns and externalities",
        columns=tuple(column.in_units(view.units) for column in columns),
        rows=rows,
        files=(private.file, market.file),
        caption=caption,
        notes=(
            "With the entrant less with the reference policy in its seat, same seed. Private gain plus total"
            " externality is the market difference, to the cent.",
            "A market difference above zero is a smaller loss or a greater gain of all firms together, not a"
            " profitable market.",
        ),
        missing=private.missing or ("" if rows else "no matched pair is planned"),
    )


def _effect_row(view: View, line: Line, columns: Sequence[Column]) -> tuple[Datum, ...]:
    def of(estimand: str) -> Line | None:
        return view.table("market_summary.csv").one(
            entrant=line["entrant"], reference=line["reference"], estimand=estimand
        )

    shift = len(columns) - 10
    lines: list[Line | None] = [line] * (shift + 3)
    lines += [of("total"), of("mean"), of("market"), of("market"), of("market"), line, line]
    return tuple(
        _none(view, column)
        if found is None
        else datum(view.units, found, column, to_contestant(found, column))
        for found, column in zip(lines, columns, strict=True)
    )


def _none(view: View, column: Column) -> Datum:
    width = 2 if isinstance(column.source, tuple) else 1
    return Datum(text=shown(view.units, None, column.kind), sort=None, plain=(None,) * width)


def private(view: View, caption: Sentence) -> Grid:
    return _inference(view, "private", "Private gains, inference", "private_summary.csv", (ENTRANT,), caption)


def market(view: View, caption: Sentence) -> Grid:
    columns = (ENTRANT, Column(source="estimand", label="Estimand"))
    title = "Total and mean externalities and market differences, inference"
    return _inference(view, "market", title, "market_summary.csv", columns, caption)


def directed(view: View, caption: Sentence) -> Grid:
    title = "Directed externalities, inference"
    return _inference(view, "directed", title, "directed_summary.csv", (ENTRANT, RIVAL), caption)


def _inference(
    view: View, name: str, title: str, file: str, keys: Sequence[Column], caption: Sentence
) -> Grid:
    table = view.table(file)
    return grid(
        view.units,
        name,
        title,
        (*keys, *against(view), *INFERENCE),
        table,
        caption=caption,
        notes=INFERENCE_NOTES,
        missing=table.missing,
        link=to_contestant,
    )


def observations(view: View, caption: Sentence) -> Grid:
    """The paper's table 5: every directed effect in every run, rows that pass |mean| > SD in bold."""
    reference = view.first_reference
    table, stable = view.table("directed.csv"), view.table("stability.csv")
    lines = table.where(reference=reference)
    draws = sorted({(line.whole("rotation"), line.whole("seed"), line.whole("repeat")) for line in lines})
    found = {_key(line): line for line in lines}
    pairs = sorted(
        {(line.text("entrant"), line.text("rival")) for line in lines},
        key=lambda pair: (view.order(pair[0]), view.order(pair[1])),
    )
    rows, strong = [], set()
    for index, (entrant, rival) in enumerate(pairs):
        line = stable.one(estimand="directed", entrant=entrant, rival=rival, reference=reference)
        cells = [found.get((entrant, rival, *draw)) for draw in draws]
        rows.append(_observed(view, entrant, rival, cells, line))
        if line is not None and line["exceeds_sd"] is True:
            strong.add(index)
    heads = [money("directed_cents", _run_label(draw)) for draw in draws]
    columns = (ENTRANT, RIVAL, *heads, *_STABLE)
    return Grid(
        name="observations",
        title="Directed externalities, every observation",
        columns=tuple(column.in_units(view.units) for column in columns),
        rows=tuple(rows),
        files=(table.file, stable.file),
        caption=caption,
        notes=("In bold: |mean| above SD over unweighted observations, the paper's display criterion.",),
        missing=table.missing or ("" if rows else "no matched pair is complete"),
        strong=frozenset(strong),
    )


_STABLE = (
    money("mean_cents", "Mean"),
    money("sd_cents", "SD"),
    count("same_sign", "With the mean's sign"),
    count("observations", "n"),
    share("chance_share_0", "Chance, no seed variance"),
    share("chance_estimated", "Chance, estimated share"),
)


def _key(line: Line) -> tuple[str, str, int, int, int]:
    return (
        line.text("entrant"),
        line.text("rival"),
        line.whole("rotation"),
        line.whole("seed"),
        line.whole("repeat"),
    )


def _run_label(draw: tuple[int, int, int]) -> str:
    rotation, seed, repeat = draw
    return f"s{seed}.n{repeat}" + (f".r{rotation}" if rotation else "")


def _observed(
    view: View, entrant: str, rival: str, cells: Sequence[Line | None], stable: Line | None
) -> tuple[Datum, ...]:
    column = money("directed_cents", "")
    return (
        Datum(text=entrant, sort=entrant, plain=(entrant,)),
        Datum(text=rival, sort=rival, plain=(rival,)),
        *(_none(view, column) if cell is None else datum(view.units, cell, column) for cell in cells),
        *(_none(view, column) if stable is None else datum(view.units, stable, column) for column in _STABLE),
    )


def baselines(view: View, caption: Sentence) -> Grid:
    table = view.table("baselines.csv")
    columns = (
        ENTRANT,
        RIVAL,
        Column(source="estimand", label="Estimand"),
        count("seed", "Seed"),
        Column(source="reference", label="Reference"),
        money("difference_cents", "Difference"),
        Column(source="sign", label="Sign"),
        Column(source="agrees", label="Sign agrees", kind="flag"),
        count("control_worlds", "Control worlds"),
        count("baseline_worlds", "Baseline worlds"),
    )
    notes = (
        "At each seed both sides are means over its repeats; agreement is with the sign against the first policy.",
    )
    title = "Effects against each reference policy"
    return grid(
        view.units, "baselines", title, columns, table, caption=caption, notes=notes, missing=table.missing,
        link=to_contestant,
    )  # fmt: skip


def accounts(view: View, caption: Sentence) -> Grid:
    table = view.table(ACCOUNTS)
    parts = [money(f"{account.name}_cents", heading(account.name)) for account in view.published.accounts]
    columns = (
        ENTRANT,
        RIVAL,
        Column(source="estimand", label="Whose Score"),
        *against(view),
        money("effect_cents", "Effect"),
        *parts,
        money("spending_cents", "All spending"),
        *(count(name, heading(name)) for name in view.published.effect_counts),
        count("clusters", "Seeds"),
    )
    notes = (
        "Parts add up to the effect. A cost counts as its saving: above zero, less was spent with the entrant.",
    )
    return grid(
        view.units,
        "accounts",
        "What effects are made of",
        columns,
        table,
        caption=caption,
        notes=notes,
        missing=table.missing,
        link=to_contestant,
    )


def decomposition(view: View, caption: Sentence) -> Grid:
    table = view.table("decomposition_summary.csv")
    columns = (
        ENTRANT,
        RIVAL,
        *against(view),
        money("total_cents", "Total"),
        money("direct_cents", "Direct"),
        money("adaptive_cents", "Adaptive"),
        interval("adaptive_low_cents", "adaptive_high_cents", "Adaptive interval"),
        money("noise_rms_cents", "Noise floor, RMS"),
        count("clusters", "Seeds"),
        count("pairs", "n"),
        count("flagged", "Flagged"),
    )
    notes = (
        "Direct: rivals' recorded decisions held still while the seat changes; adaptive: what their re-decision"
        " adds, sampling noise included. Mean of both orders. Flagged: over two per cent of windows refused.",
    )
    return grid(
        view.units, "decomposition", "Direct and adaptive parts", columns, table, caption=caption, notes=notes,
        missing=table.missing and f"{table.missing}: `tournament decompose` makes it", link=to_contestant,
    )  # fmt: skip


def health_differences(view: View, caption: Sentence) -> Grid:
    table = view.table("health_differences.csv")
    return _health(view, "health-differences", "What entrants do to market health", table, ENTRANT, caption)


def health_lineups(view: View, caption: Sentence) -> Grid:
    table = view.table("health_lineups.csv")
    lineup = Column(source="lineup", label="Lineup", emphasis=True)
    return _health(view, "health-lineups", "Market health by lineup", table, lineup, caption)


def _health(view: View, name: str, title: str, table: Table, key: Column, caption: Sentence) -> Grid:
    several = against(view) if key is ENTRANT else ()
    columns = (
        key,
        *several,
        Column(source="measure", label="Measure"),
        *group_column(view, table),
        Column(source="mean", label="Mean", kind="decimal"),
        Column(source="low", label="Interval low", kind="decimal"),
        Column(source="high", label="Interval high", kind="decimal"),
        Column(source="sd", label="SD", kind="decimal"),
        count("clusters", "Seeds"),
    )
    lines = [titled(view, line) for line in table]
    return grid(
        view.units,
        name,
        title,
        columns,
        lines,
        caption=caption,
        notes=measure_notes(view, table),
        missing=table.missing,
        link=to_contestant,
    )


def group_column(view: View, lines: Iterable[Line]) -> tuple[Column, ...]:
    """Return the column of the market's groups, where a measure is given by group."""
    grouped = any(line["segment"] for line in lines)
    return (Column(source="segment", label=heading(view.published.group)),) if grouped else ()


def titled(view: View, line: Line) -> Line:
    """Return a line of a measure with its title for its name."""
    title = measure_title(view.published, line.text("measure"))
    return replace(line, values={**line.values, "measure": title})


def measure_notes(view: View, lines: Iterable[Line]) -> tuple[str, ...]:
    """Return what the measures are that these lines tell of."""
    told = dict.fromkeys(line.text("measure") for line in lines)
    known = meanings(view.published)
    return tuple(f"{measure_title(view.published, name)}: {known[name]}." for name in told if name in known)
