"""Tables of how contestants operate: Mean Scores, runs, lineups, outcomes, reliability, salvage."""

from __future__ import annotations

from collections.abc import Mapping

from reports.claims import Sentence
from reports.labels import heading, legend, summary_columns
from reports.sources import Line, document_lines
from reports.tables.model import Column, Datum, Grid, Kind, grid, plain, shown
from reports.view import View, contestant_page, world_page

REFERENCE = Column(source="reference", label="Reference")
CONTESTANT = Column(source="contestant", label="Contestant", emphasis=True)
NOTE = Column(source="note", label="Note")


def money(source: str, label: str) -> Column:
    return Column(source=source, label=label, kind="money")


def interval(low: str, high: str, label: str = "Interval") -> Column:
    return Column(source=(low, high), label=label, kind="interval")


def count(source: str, label: str) -> Column:
    return Column(source=source, label=label, kind="count")


def share(source: str, label: str) -> Column:
    return Column(source=source, label=label, kind="share")


def against(view: View) -> tuple[Column, ...]:
    """Return the column that names the reference policy, where there is more than one."""
    return (REFERENCE,) if len(view.references) > 1 else ()


def to_contestant(line: Line, column: Column) -> str:
    """Return where a contestant's cell leads."""
    if column.source in ("contestant", "entrant", "rival") and "+" not in line.text(str(column.source)):
        name = line.text(str(column.source))
        return contestant_page(name) if name else ""
    return world_page(line.text("world")) if column.source == "world" else ""


def operating(view: View, caption: Sentence) -> Grid:
    """The paper's table 2, with intervals and what missing worlds leave open."""
    table = view.table("operating.csv")
    columns = (
        CONTESTANT,
        *against(view),
        count("rank", "Rank"),
        money("mean_score_cents", "Mean Score"),
        interval("ci_low_cents", "ci_high_cents"),
        money("sd_cents", "SD"),
        *((share("bankruptcy_rate", "Left early"),) if view.published.role("exit") else ()),
        count("negative_scores", "Below zero"),
        count("outcomes", "n"),
        count("seeds", "Seeds"),
        *(_OPEN if any(line["outcomes"] != line["planned"] for line in table) else ()),
        *((NOTE,) if any(line["note"] for line in table) else ()),
    )
    notes = (
        "Mean Score averages repeats within a seed, then lineups and seeds with equal weights.",
        "The interval is t on seed means; SD is over outcomes. Best and worst rank differ where worlds are missing.",
    )
    return grid(
        view.units,
        "operating",
        "Operating performance",
        columns,
        table,
        caption=caption,
        notes=notes,
        missing=table.missing,
        link=to_contestant,
    )


# Told where worlds are missing: what their absence leaves open.
_OPEN = (
    count("planned", "Planned"),
    count("rank_best", "Best rank"),
    count("rank_worst", "Worst rank"),
)


def lineups(view: View, caption: Sentence) -> Grid:
    table = view.table("operating_lineups.csv")
    columns = (
        CONTESTANT,
        Column(source="lineup", label="Lineup"),
        *against(view),
        count("rank", "Rank"),
        money("mean_score_cents", "Mean Score"),
        count("outcomes", "n"),
        count("seeds", "Seeds"),
    )
    title = "Mean Score within each lineup"
    return grid(
        view.units,
        "lineups",
        title,
        columns,
        table,
        caption=caption,
        missing=table.missing,
        link=to_contestant,
    )


def runs(view: View, caption: Sentence) -> Grid:
    """The paper's table 4: a column a run, ranks in parentheses."""
    table = view.table("operating_runs.csv")
    lines = table.where(reference=view.first_reference)
    draws = list(dict.fromkeys(_draw(line) for line in lines))
    names = sorted({line.text("contestant") for line in lines}, key=view.order)
    found = {(line.text("contestant"), _draw(line)): line for line in lines}
    heads = [Column(source="mean_score_cents", label=_draw_label(draw), kind="money") for draw in draws]
    rows = tuple(
        (_name(name), *(_with_rank(view, found.get((name, draw))) for draw in draws)) for name in names
    )
    return Grid(
        name="runs",
        title="Mean Score in each run of all lineups",
        columns=(CONTESTANT, *(head.in_units(view.units) for head in heads)),
        rows=rows,
        files=(table.file,),
        caption=caption,
        notes=("In parentheses the rank within the run. Each value averages the run's lineups.",),
        missing=table.missing or ("" if rows else "no run has a finished world"),
    )


def _draw(line: Line) -> tuple[int, int, int]:
    return line.whole("rotation"), line.whole("seed"), line.whole("repeat")


def _draw_label(draw: tuple[int, int, int]) -> str:
    rotation, seed, repeat = draw
    return f"Seed {seed}, run {repeat}" + (f", rotation {rotation}" if rotation else "")


def _name(name: str) -> Datum:
    return Datum(text=name, sort=name, plain=(name,), link=contestant_page(name))


def _with_rank(view: View, line: Line | None) -> Datum:
    if line is None:
        return Datum(text=shown(view.units, None, "money"), sort=None, plain=(None,))
    value = line["mean_score_cents"]
    text = f"{shown(view.units, value, 'money')} ({line.whole('rank')})"
    return Datum(text=text, sort=value, plain=(plain(view.units, value, "money"),))


_KINDS: Mapping[str, Kind] = {"money": "money", "count": "count", "time": "moment", "ratio": "decimal"}


def outcome_columns(view: View) -> tuple[Column, ...]:
    """Return the columns of outcomes: who sat where, the Score, what the market puts into a summary, windows."""
    return (
        Column(source="world", label="World"),
        count("seat", "Seat"),
        CONTESTANT,
        money(view.published.score, "Score"),
        *(
            Column(source=column.name, label=heading(column.name), kind=_KINDS[column.kind])
            for column in summary_columns(view.published)
        ),
        count("windows_refused", "Refused windows"),
        count("windows_exhausted", "Exhausted windows"),
    )


def outcome_legend(view: View) -> tuple[str, ...]:
    """Return what the market's columns are, as it says."""
    columns = summary_columns(view.published)
    return (legend(columns),) if columns else ()


def outcomes(view: View, caption: Sentence) -> Grid:
    table = view.outcomes
    return grid(
        view.units,
        "outcomes",
        "Every outcome",
        outcome_columns(view),
        table,
        caption=caption,
        notes=outcome_legend(view),
        missing=table.missing,
        link=to_contestant,
    )


_MODELS = (
    count("replies", "Replies"),
    count("replies_per_window", "a window"),
    count("tool_calls", "Tool calls"),
    count("tool_calls_per_window", "a window"),
    count("corrections", "Corrections"),
    share("correction_rate", "Corrections a reply"),
    share("model_refusal_rate", "Model refused"),
    share("call_as_text_rate", "Calls as text"),
    count("unknown_usage_replies", "Replies of unknown usage"),
    share("unknown_usage_rate", "Unknown usage"),
    share("active_window_rate", "Active windows"),
    share("sustained_window_rate", "Sustained (SWR)"),
)
_USED = (
    count("replies", "Replies"),
    count("tool_calls", "Tool calls"),
    count("prompt_tokens", "Prompt tokens"),
    count("generated_tokens", "Generated tokens"),
    count("estimated_tokens", "of them estimated"),
    count("reasoning_tokens", "of them reasoning"),
    Column(source="cost_usd", label="Known cost", kind="usd", unit="USD"),
    count("unpriced_replies", "Replies of unknown price"),
    Column(source="possibly_paid_usd", label="Possibly paid beside", kind="usd", unit="USD"),
)
_FAULTS = (
    count("failed_attempts", "Failed attempts"),
    count("failed_requests", "Failed requests"),
    count("possibly_paid", "Lost replies"),
    count("foreign_replies", "Replies of another model"),
    count("wait_seconds", "Waited, seconds"),
)
NO_MODELS = "no finished world has a model seat"


def usage(view: View, caption: Sentence) -> Grid:
    """What model contestants used, over all finished worlds."""
    lines = document_lines(view.usage, "contestants", ("contestant",))
    columns = (CONTESTANT, count("windows", "Windows"), *_USED)
    return grid(
        view.units,
        "usage",
        "Usage and cost of models",
        columns,
        lines,
        caption=caption,
        missing="" if lines else NO_MODELS,
        link=to_contestant,
    )


def faults(view: View, caption: Sentence) -> Grid:
    """Seats whose route failed them at some time: what was retried, lost or answered by another model."""
    names = [str(column.source) for column in _FAULTS[:-1]]
    seats = document_lines(view.usage, "seats", ("world", "seat"))
    lines = [line for line in seats if any(line[name] for name in names)]
    columns = (
        Column(source="world", label="World", emphasis=True),
        count("seat", "Seat"),
        CONTESTANT,
        *_FAULTS,
    )
    return grid(
        view.units,
        "faults",
        "Faults of routes, by world and seat",
        columns,
        lines,
        caption=caption,
        notes=("Faults are waited out or suspend a world; none of them is scored.",),
        missing="" if lines else ("no seat of a finished world had one" if seats else NO_MODELS),
        link=to_contestant,
    )


def reliability(view: View, caption: Sentence) -> Grid:
    table = view.table("reliability.csv")
    models = any(line["replies"] is not None for line in table)
    columns = (
        CONTESTANT,
        Column(source="reference", label="Lineups"),
        count("worlds", "Worlds"),
        count("windows", "Windows"),
        share("seal_rate", "Sealed"),
        share("refusal_rate", "Refused"),
        share("exhaustion_rate", "Exhausted"),
        *(_MODELS if models else ()),
    )
    return grid(
        view.units,
        "reliability",
        "Operating reliability",
        columns,
        table,
        caption=caption,
        notes=("Replies, tool calls and usage are known of model contestants alone.",) if models else (),
        missing=table.missing,
        link=to_contestant,
    )


def salvage(view: View, caption: Sentence) -> Grid:
    table = view.table("salvage.csv")
    columns = (
        CONTESTANT,
        Column(source="rival", label="Rival"),
        *against(view),
        Column(source="quantity", label="Quantity"),
        money("score_cents", "On Score"),
        money("cash_cents", "On cash"),
        Column(source="on_score", label="Rank or sign on Score"),
        Column(source="on_cash", label="on cash"),
        Column(source="changes", label="Changes", kind="flag"),
    )
    return grid(
        view.units,
        "salvage",
        "With and without salvage",
        columns,
        table,
        caption=caption,
        missing=table.missing,
        link=to_contestant,
        strong=lambda line: line["changes"] is True,
    )
