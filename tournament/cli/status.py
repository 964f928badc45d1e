"""`tournament status`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.cli.output import columns, dollars, emit, say

if TYPE_CHECKING:
    from tournament.status import RunStatus

Run = Annotated[Path, typer.Argument(help="Run directory.", metavar="RUN")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament status runs/ready-1a2b3c4d")(status)


def status(run: Run, as_json: AsJson = False) -> None:
    """Show where a run stands: worlds, windows, and each seat's Score so far. Disturbs nothing."""
    from dataclasses import asdict

    from tournament.status import mean_scores, run_status

    found = run_status(run)
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
            }
        )
        return
    say(_text(found))


def _text(found: RunStatus) -> str:
    from tournament.status import mean_scores

    counts = found.counts
    told = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in counts.items() if count)
    lines = [
        f"{found.study} ({found.study_hash[:8]}) in {found.run}",
        f"{counts['done']} of {len(found.worlds)} planned worlds played: {told}",
        f"run by {found.owner}" if found.owner else "nobody runs it now",
    ]
    begun = [world for world in found.worlds if world.state not in ("done", "not_started")]
    if begun:
        rows = [("world", "state", "window", "Score so far by seat")]
        for world in begun:
            seats = zip(world.contestants, world.scores_cents, strict=False)
            scores = ", ".join(f"{name} {dollars(score)}" for name, score in seats)
            shown = world.reason if world.state == "invalid" else scores
            rows.append((world.world, world.state, f"{world.windows}/{world.of}", shown))
        lines += ["", columns(rows, right=(2,))]
        lines += [f"{w.world}: {w.reason}" for w in begun if w.reason and w.state != "invalid"]
    means = mean_scores(found.worlds)
    if means:
        seated = Counter(name for world in found.worlds for name in world.contestants)
        ranked = sorted(means.items(), key=lambda item: -item[1][1])
        table = [("contestant", "played/planned seats", "mean Score")]
        table += [(name, f"{played}/{seated[name]}", dollars(mean)) for name, (played, mean) in ranked]
        lines += ["", columns(table, right=(1, 2))]
    return "\n".join(lines)
