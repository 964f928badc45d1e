"""`tournament routes list|check|accept` and `tournament mock-provider`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.cli.output import columns, emit, say
from tournament.foreign_text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agents.routes.entry import RouteEntry
    from agents.routes.mock.provider import ProviderSettings
    from agents.routes.probe import ProbeConversation, ProbeReport
    from tournament.records import Json
    from tournament.study.routes import SourceLocation

File = Annotated[Path, typer.Argument(help="A study or a routes file (YAML).", metavar="STUDY_OR_ROUTES")]
Only = Annotated[list[str] | None, typer.Option("--route", help="Only this route; may be repeated.")]
# Firms of the market that a routes file is checked with: enough for rivals.
PROBE_SEATS = 3
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="Provider routes: what a study would speak to."
    )
    group.command("list", epilog="Example: tournament routes list panel.yaml")(list_routes)
    group.command("check", epilog="Example: tournament routes check panel.yaml --route gpt-6-astra")(check)
    group.command(
        "accept", epilog="Example: tournament routes accept runs/mine sonnet claude-sonnet-5-20260901"
    )(accept)
    app.add_typer(group, name="routes")
    app.command(
        "mock-provider", epilog="Example: tournament mock-provider --port 8400 --latency 0.1 --faults 0.02"
    )(mock_provider)


def list_routes(file: File, as_json: AsJson = False) -> None:
    """List a file's routes with prices and what is wrong with them, asking no provider."""
    from agents.routes.check import problems
    from tournament.cli.services import refusals

    entries, origins = _entries(file, None)
    wrong = problems(entries, os.environ, folder=file.parent)
    facts = [_facts(entry, [str(item) for item in wrong if item.route == entry.id]) for entry in entries]
    if as_json:
        emit({"routes": facts})
        return
    rows = [("route", "model", "transport", "key", "$/M in", "$/M out", "in flight")]
    for entry, fact in zip(entries, facts, strict=True):
        price = fact["usd_per_million"]
        shown = ("unknown", "unknown") if price is None else (f"{price[0]:.2f}", f"{price[1]:.2f}")
        key = ", ".join(entry.key_variables.values()) or "none"
        rows.append((entry.id, entry.model, entry.transport, key, *shown, str(entry.limits.concurrent)))
    say(columns(rows, right=(4, 5, 6)))
    for refusal in refusals(wrong, origins):
        say(f"problem: {one_line(str(refusal))}")


def check(file: File, route: Only = None, as_json: AsJson = False) -> None:
    """Play two turns with each route, with a window's prompt and tools: latency, tool calling, history taken back,
    prompts cut in silence, returned identity, usage and price.

    Exit code 0 if every route passed, 2 where an entry is wrong before anything is sent, 3 where a
    provider's answer is.
    """
    import asyncio

    from agents.routes.check import problems
    from tournament.cli.services import refusals
    from tournament.errors import InputErrors

    entries, origins = _entries(file, route)
    wrong = problems(entries, os.environ, folder=file.parent)
    if wrong:
        raise InputErrors(refusals(wrong, origins))
    reports = asyncio.run(_probe(entries, file))
    if as_json:
        emit({"routes": [_report_facts(report) for report in reports]})
    else:
        _show(reports)
    raise typer.Exit(0 if all(report.passed for report in reports) else 3)


def accept(
    run: Annotated[Path, typer.Argument(help="Run directory.", metavar="RUN")],
    route: Annotated[str, typer.Argument(help="Id of the route.", metavar="ROUTE")],
    model_id: Annotated[str, typer.Argument(help="Model id that may answer from now on.", metavar="ID")],
) -> None:
    """Record that a route of a run may be answered under one more model id, so that its worlds go on.

    The decision stands in the run's manifest, in `tournament status` and in the report: a world may then have
    been played by two models under one name.
    """
    from datetime import UTC, datetime

    from tournament.errors import InputError
    from tournament.rundir.layout import read_canonical
    from tournament.rundir.lock import owned
    from tournament.rundir.manifest import read_manifest, record_accepted

    read_manifest(run)
    used = sorted({entry["route"] for entry in read_canonical(run)["contestants"].values() if entry["route"]})
    if route not in used:
        raise InputError(f"{run} has no route {route!r}; it has: {', '.join(used) or 'none'}")
    if not model_id.strip() or not model_id.isprintable():
        raise InputError("ID must be a model id as an answer names it")
    with owned(run, "routes accept", f"of {route}"):
        record_accepted(run, route, model_id, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")
    say(
        f"{route} may be answered under {model_id} from now on; `tournament run` with the study goes on with its"
        " suspended worlds"
    )


async def _probe(entries: list[RouteEntry], file: Path) -> list[ProbeReport]:
    import asyncio

    from agents.routes.build import close_routes, open_routes
    from agents.routes.probe import probe

    said = _conversation(file)
    routes = open_routes(entries, environment=os.environ, folder=file.parent)
    try:
        return list(await asyncio.gather(*(probe(route, said) for route in routes.values())))
    finally:
        await close_routes()


def _conversation(file: Path) -> ProbeConversation:
    """Return what a check says: as in the study's market, for a routes file as in the first market installed."""
    from agents.llm.preflight import conversation
    from tournament.cli.services import open_study
    from tournament.registry import markets, scenario_of
    from tournament.study.yaml import read_yaml

    value = read_yaml(file).value
    if isinstance(value, dict) and "study" in value:
        study = open_study(file)
        return conversation(study.market, len(study.design.lineup))
    return conversation(scenario_of(markets()[0], "{}"), PROBE_SEATS)


def mock_provider(
    port: Annotated[int, typer.Option(help="Port on loopback; 0 takes a free one.", min=0, max=65535)] = 8400,
    seed: Annotated[int, typer.Option(help="Seed of faults and ids.", min=0)] = 0,
    script: Annotated[
        Path | None, typer.Option(help="Scripted replies (JSON), as model mock-script.")
    ] = None,
    strategy: Annotated[
        list[str] | None, typer.Option(help="Serve this policy as model mock-NAME [default: all].")
    ] = None,
    latency: Annotated[float, typer.Option(help="Seconds before every answer.", min=0.0)] = 0.0,
    faults: Annotated[
        str, typer.Option(help="RATE of passing faults, or NAME, NAME:RATE, NAME@ATTEMPT, by commas.")
    ] = "",
    rate_limit: Annotated[int | None, typer.Option(help="Requests a minute and model.", min=1)] = None,
) -> None:
    """Serve mock models over HTTP on loopback, OpenAI-compatible, so that a study can be rehearsed for nothing."""
    import asyncio

    from agents.routes.mock.faults import parse_faults
    from agents.routes.mock.policy import strategies
    from agents.routes.mock.provider import PREFIX, ProviderSettings

    playable = [name for name in strategies() if not name.startswith("scripted@")]
    names = strategy or ([] if script else [name.partition("@")[0] for name in playable])
    models = [f"{PREFIX}{name}" for name in names] + ([f"{PREFIX}script"] if script else [])
    settings = ProviderSettings(
        models=tuple(models),
        script=script,
        seed=seed,
        latency=latency,
        faults=parse_faults(faults),
        rate_limit=rate_limit,
    )
    asyncio.run(_serve(settings, port))


async def _serve(settings: ProviderSettings, port: int) -> None:
    import asyncio

    from agents.routes.mock.provider import MockProvider

    provider = MockProvider(settings)
    await provider.start(port)
    say(f"listening at {provider.address}; models: {', '.join(settings.models)}")
    try:
        await asyncio.Event().wait()
    finally:
        await provider.stop()


def _entries(file: Path, only: list[str] | None) -> tuple[list[RouteEntry], Mapping[str, SourceLocation]]:
    """Return the entries of a study or a routes file; raises InputError for a route that is not there."""
    from agents.routes.build import parse_entries
    from agents.routes.entry import RouteEntry
    from tournament.errors import InputError
    from tournament.study.file import load_study
    from tournament.study.routes import load_routes
    from tournament.study.yaml import read_yaml

    document = read_yaml(file)
    validate = RouteEntry.model_validate
    if isinstance(document.value, dict) and "study" in document.value:
        study = load_study(file, validate)
        listed, origins = study.routes, study.origins
    else:
        routes = load_routes(file, validate)
        listed, origins = routes.entries, routes.origins
    found = parse_entries(listed)
    if not found:
        raise InputError("it has no routes", file=file)
    for name in only or []:
        if name not in found:
            raise InputError(f"no route {name!r}; it has: {', '.join(found)}", file=file)
    return [entry for name, entry in found.items() if only is None or name in only], origins


def _facts(entry: RouteEntry, wrong: list[str]) -> dict[str, Json]:
    from agents.routes.adapter.library import litellm
    from agents.routes.price import context_of, per_million, tariff_of

    price = per_million(tariff_of(entry, litellm))
    return {
        "route": entry.id,
        "model": entry.model,
        "transport": entry.transport,
        "key_env": sorted(entry.key_variables.values()),
        "ceiling": entry.ceiling,
        "accepted": sorted(entry.accepted_ids),
        "usd_per_million": None if price is None else [round(price[0], 6), round(price[1], 6)],
        "context_tokens": context_of(entry, litellm),
        "limits": entry.limits.model_dump(mode="json"),
        "problems": wrong,
    }


def _report_facts(report: ProbeReport) -> dict[str, Json]:
    from dataclasses import asdict

    return {**asdict(report), "passed": report.passed}


def _show(reports: list[ProbeReport]) -> None:
    rows = [("route", "seconds", "tools", "answered as", "prompt", "generated", "usd", "verdict")]
    for report in reports:
        rows.append(
            (
                report.route,
                _shown(report.seconds),
                {True: "yes", False: "no", None: "-"}[report.calls_tools],
                report.returned or "-",
                _shown(report.prompt_tokens),
                _shown(report.generated_tokens),
                "-" if report.cost_usd is None else f"{report.cost_usd:.6f}",
                report.fault or ("passed" if report.priced else "passed; price unknown"),
            )
        )
    say(columns(rows, right=(1, 4, 5, 6)))


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"
