"""`tournament policies` and `tournament markets`: what study files may name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tournament.cli.output import columns, emit, say

if TYPE_CHECKING:
    from tournament.ports import PolicyKind
    from tournament.records import Json

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament policies rule@1")(policies)
    app.command(epilog="Example: tournament markets")(markets)


def policies(
    name: Annotated[
        str | None, typer.Argument(help="Show this policy's parameters.", metavar="POLICY")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the policies that contestants are made of, or one policy with its parameters."""
    from tournament import registry

    if name is not None:
        _show_policy(registry.policy_kind(name), as_json)
        return
    kinds = [registry.policy_kind(known) for known in registry.policies()]
    if as_json:
        emit({"policies": [_facts(kind) for kind in kinds]})
        return
    rows = [("policy", "speaks", "models", "what it does")]
    rows += [
        (kind.id, ", ".join(sorted(kind.markets)) or "any", "no" if kind.model_free else "yes", kind.summary)
        for kind in kinds
    ]
    say(columns(rows))


def markets(as_json: AsJson = False) -> None:
    """List the markets that a study can be played in."""
    from tournament import registry

    kinds = [registry.market_kind(known) for known in registry.markets()]
    if as_json:
        emit({"markets": [{"id": kind.id, "summary": kind.summary} for kind in kinds]})
        return
    say(columns([("market", "what it is"), *((kind.id, kind.summary) for kind in kinds)]))


def _show_policy(kind: PolicyKind, as_json: bool) -> None:
    schema = kind.parameters.model_json_schema()
    if as_json:
        emit({**_facts(kind), "parameters": schema})
        return
    rows = [("parameter", "default", "")]
    for name, field in kind.parameters.model_fields.items():
        default = "required" if field.is_required() else repr(field.get_default(call_default_factory=True))
        rows.append((name, default, field.description or ""))
    say(f"{kind.id}: {kind.summary}\n")
    say(columns(rows) if len(rows) > 1 else "it has no parameters")


def _facts(kind: PolicyKind) -> dict[str, Json]:
    return {
        "id": kind.id,
        "summary": kind.summary,
        "markets": sorted(kind.markets),
        "model_free": kind.model_free,
    }
