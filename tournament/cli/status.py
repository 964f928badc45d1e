"""`tournament status`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tournament.cli.money import HEADS, caps, money
from tournament.cli.output import amount, by_reason, columns, emit, say
from tournament.foreign_text import one_line

if TYPE_CHECKING:
    from agents.llm.accounting.usage import Account
    from tournament.cli.route_status import Retry, RouteStatus
    from tournament.rundir.status import RunStatus

Run = Annotated[
    Path,
    typer.Argument(
        help="Run directory, or the study file of a run in its default folder.", metavar="RUN_OR_STUDY"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament status runs/ready-1a2b3c4d")(status)


def status(run: Run, as_json: AsJson = False) -> None:
    """Show where a run stands: worlds, windows, and each seat's Score so far. Disturbs nothing."""
    from dataclasses import asdict

    from tournament.cli.route_status import spending
    from tournament.rundir.status import dollar_caps, mean_scores, run_status

    run = _run_of(run)
    found = run_status(run)
    spent = spending(run)
    found_caps = dollar_caps(run)
    if as_json:
        means = {
            name: {"worlds": worlds, "mean_score_cents": mean}
            for name, (worlds, mean) in mean_scores(found.worlds).items()
        }
        emit(
            {
                **asdict(found),
                "counts": dict(found.counts),
                "planned": len(found.worlds),
                "contestants": means,
                "routes": [asdict(route) for route in spent.routes],
                "usd": found_caps[0],
                "usd_per_world": found_caps[1],
            }
        )
        return
    lines = _route_lines(spent.routes)
    lines += caps(*found_caps, counted=spent.counted, max_world_cost=spent.max_world_cost) if lines else []
    if lines and found.counts["invalid"]:
        lines.append("what invalid worlds have cost is not in these sums")
    say("\n".join([_text(found), *lines, *found.decisions]))


def _run_of(given: Path) -> Path:
    """Return the run directory that is meant: a study file stands for the one that `run` gives it by default."""
    if not given.is_file():
        return given
    from tournament.cli.services import open_study
    from tournament.errors import InputError

    run = Path("runs") / open_study(given).directory
    if not run.is_dir():
        raise InputError(
            f"this study has no run in {run}; give the run directory if --out named another", file=given
        )
    return run


def _route_lines(routes: Sequence[RouteStatus]) -> list[str]:
    """Return a table of the routes, and whom each one lets wait and until when."""
    if not routes:
        return []
    head = (
        "route",
        "replies",
        "prompt",
        "generated",
        "estimated",
        *HEADS,
        "failed attempts",
        "waited s",
    )
    rows = [head]
    notes: list[str] = []
    for item in routes:
        used = item.account
        tokens = (str(used.prompt_tokens), str(used.generated_tokens), str(used.estimated_tokens))
        waits = (str(used.failed_attempts), f"{used.wait_seconds:.0f}")
        rows.append((item.route, str(used.replies), *tokens, *money(used), *waits))
        notes += _route_notes(item.route, used)
        notes += [_retry_line(item.route, retry) for retry in item.retrying]
    return ["", columns(rows, right=tuple(range(1, len(head)))), *notes]


# By which share a provider's own sum may differ from ours before it is told.
TOLD_SHARE: Final = 0.05


def _route_notes(route: str, used: Account) -> list[str]:
    """Return what the sums of a route do not tell by themselves."""
    notes = []
    if used.unknown_usage_replies or used.unpriced_replies:
        notes.append(
            f"{route}: {used.unknown_usage_replies} replies of unknown usage, whose generated tokens are"
            f" estimated, {used.unpriced_replies} of unknown price, counted at their most"
        )
    if abs(used.told_usd - used.told_cost_usd) > TOLD_SHARE * max(used.told_usd, used.told_cost_usd):
        notes.append(
            f"{route}: the provider says ${used.told_usd:.4f} where ${used.told_cost_usd:.4f} is booked; compare the"
            " entry's price with the bill"
        )
    if used.foreign_replies:
        notes.append(
            f"{route}: {used.foreign_replies} replies of a model that the route does not accept, kept and not"
            " acted on; what they cost is in `spent`, and where nobody knows it in `at most more`"
        )
    return notes


def _retry_line(route: str, retry: Retry) -> str:
    until = (
        ""
        if retry.until is None
        else f" until {datetime.fromtimestamp(retry.until, UTC):%Y-%m-%d %H:%M:%S} UTC"
    )
    return f"{route}: seat {retry.seat} of {retry.world} is retrying{until} ({one_line(retry.fault)})"


def _text(found: RunStatus) -> str:
    from tournament.rundir.layout import published_of
    from tournament.rundir.status import mean_scores

    sign = published_of(Path(found.run)).currency.sign
    counts = found.counts
    summary = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in counts.items() if count)
    lines = [
        f"{found.study} ({found.study_hash[:8]}) in {found.run}",
        f"{counts['done']} of {len(found.worlds)} planned worlds played: {summary}",
        f"run by {found.owner}" if found.owner else "nobody runs it now",
    ]
    begun = [world for world in found.worlds if world.state not in ("done", "not_started")]
    if begun:
        rows = [("world", "state", "window", "Score so far by seat")]
        for world in begun:
            seats = zip(world.contestants, world.scores_cents, strict=False)
            scores = ", ".join(f"{name} {amount(score, sign)}" for name, score in seats)
            shown = world.reason if world.state == "invalid" else scores
            rows.append((world.world, world.state, f"{world.windows}/{world.of}", shown))
        lines += ["", columns(rows, right=(2,))]
        reasons = {w.world: w.reason for w in begun if w.reason and w.state != "invalid"}
        lines += [f"suspended: {line}" for line in by_reason(reasons)]
    means = mean_scores(found.worlds)
    if means:
        seated = Counter(name for world in found.worlds for name in world.contestants)
        ranked = sorted(means.items(), key=lambda item: -item[1][1])
        table = [("contestant", "played/planned seats", "mean Score")]
        table += [(name, f"{played}/{seated[name]}", amount(mean, sign)) for name, (played, mean) in ranked]
        lines += ["", columns(table, right=(1, 2))]
    return "\n".join(lines)
