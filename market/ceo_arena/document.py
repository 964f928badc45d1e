"""docs/markets/ceo_arena.md: the market in words, its tables written from the code's own parameters.

Run `python -m market.ceo_arena.document` to write it again; a test holds the file against the code.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from market.ceo_arena.parameters import CHANNELS, PHASES, PRODUCTS, SEGMENTS, Parameters
from market.ceo_arena.state import ACCOUNTS
from market.ceo_arena.tools import tools_of

TEXT = Path(__file__).resolve().parent / "texts" / "market.md.j2"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "markets" / "ceo_arena.md"


def _cell(value: Any) -> str:
    if isinstance(value, tuple):
        return "; ".join(_cell(item) for item in value) if _nested(value) else ", ".join(map(_cell, value))
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)


def _nested(value: tuple[Any, ...]) -> bool:
    return any(isinstance(item, tuple) for item in value)


def parameter_rows() -> list[tuple[str, str, str, str, str]]:
    """Return name, value, unit, origin and meaning of every parameter."""
    standard = Parameters()
    rows = []
    for name, field in Parameters.model_fields.items():
        extra = field.json_schema_extra
        assert isinstance(extra, dict)
        value = _cell(getattr(standard, name))
        rows.append((name, value, str(extra["unit"]), str(extra["origin"]), str(field.description)))
    return rows


def tool_rows() -> list[tuple[str, str, str, str, str]]:
    """Return tool, text, argument, allowed values and meaning: a row an argument, or one where there is none."""
    rows = []
    for tool in tools_of(Parameters()):
        name, text = f"`{tool.name}`", tool.description
        schema = tool.arguments.model_json_schema()
        for argument, field in schema["properties"].items() or [("", {})]:
            label = f"`{argument}`" if argument else "none"
            optional = " (optional)" if argument and argument not in schema.get("required", []) else ""
            rows.append((name, text, label + optional, _allowed(field), field.get("description", "")))
            name = text = ""
    return rows


def _allowed(field: dict[str, Any]) -> str:
    """Return a JSON-schema field's values; an upper limit that a scenario sets stands in the tool's text."""
    if "enum" in field:
        return ", ".join(field["enum"])
    if "minimum" not in field:
        return ""
    return f"{field['minimum']} to {field['maximum']}" if "maximum" in field else f"from {field['minimum']}"


def render() -> str:
    """Return the page's text."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - documents alone need templates

    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    template = environment.from_string(TEXT.read_text(encoding="utf-8"))
    text: str = template.render(
        rows=parameter_rows(),
        tools=tool_rows(),
        accounts=ACCOUNTS,
        p=Parameters(),
        products=PRODUCTS,
        segments=SEGMENTS,
        channels=CHANNELS,
        phases=PHASES,
    )
    return text.rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
