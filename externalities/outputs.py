"""`docs/outputs.md`, generated from the row models and from what one market declares that it publishes."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any, Union, get_args, get_origin

from externalities.calibration import CALIBRATION
from externalities.catalogue import written_tables
from externalities.health import meanings
from externalities.outcome_rows import hybrids_table, outcomes_table
from externalities.rows import TableSpec
from tournament.published import Published
from tournament.registry import market_kind

MARKET = "ceo_arena@1"
COMMAND = f"python -m externalities.outputs {MARKET} > docs/outputs.md"
WORDS = {int: "integer", float: "number", str: "text", bool: "true/false"}

HEAD = f"""# Output tables

Generated from the row models: `{COMMAND}`. Do not edit by hand.

What a market publishes is the market's own, and these are the tables of `{MARKET}`. Of another market the columns of
`outcomes.csv` between `contestant` and `windows_sealed` and behind `windows_exhausted`, the accounts and counts of
`accounts.csv` and `accounts_summary.csv`, the means of `paths.csv` and the measures are others, by its own declaration
(`scenario.published` in the manifest); everything else is the same. A table that rests on what a market does not
declare is not written, and `not_offered` in `summary.json` says so.

All tables are UTF-8 CSV with a header, a comma between cells and Unix line ends. Money is in US cents: integers,
or four decimals where a column is a mean. A cell is empty where a quantity is undefined; where the table has
a `note`, it gives the reason. Rows of single pairs and worlds are sorted by reference, rotation, seed,
repeat, lineup, seat; pooled tables keep the order of seats. Equal outcomes give equal bytes.

`tournament run` writes the tables of `RUN/externalities` at its end and `tournament externalities` writes them
again; the same tables on the cash-only score (salvage left out) are in `RUN/externalities/cash`, where the market's Score
holds salvage. With `--ci`
or `--repeat` they go to a folder of their own, such as `RUN/externalities/repeat-1`. What the methods can
and cannot show is in [statistics.md](statistics.md).
"""

READ = """Beside them: `plan.jsonl`, `study.json` and `manifest.json`; of every world `measures.parquet` (`measure, group,
value, note`) for market health, `series.parquet` (a row a window and seat) for the paths, and `usage.parquet`, one
row a window of a model's seat, of which
`replies`, `tool_calls`, `corrections`, `refusals`, `calls_as_text`, `unknown_usage_replies` and `cost_usd` are summed.
Every column of `usage.parquet` is described in [harness.md](harness.md#money).
"""

REST = """## Other files

- `network.graphml`, `network.json`: the signed weighted digraph of mean directed effects against the first
  reference policy; `network-<reference>.*` for the others. Node attributes are the mean private gain and
  strengths out and in, whole and by sign; edge attributes the mean in cents (`weight`), its SD and interval,
  counts of observations with its sign and whether it passes |mean| > SD. The JSON (networkx's node-link
  form, `edges="edges"`) also holds measures of the whole: reciprocity, cycles of harm, communities,
  dominance ordering. Both are read back by networkx.
- `paths.parquet`: what `paths.csv` averages, a row a world, window and seat: `world, window, last_day, seat,
  contestant, in_business`, closing cash, and every series that the market declares. Not under `cash`.
- `usage.json`: with model seats, the sums of the worlds' `usage.parquet` by contestant (`contestants`) and by
  world and seat (`seats`): replies, tokens, corrections, failed attempts, known and possible cost in dollars,
  each as [harness.md](harness.md#money) describes the column; null where a world's table does not have it.
  Not under `cash`, and not part of a run's identity: an interrupted run has lost requests that another has not.
- `summary.json`: study and its hash, options, the names of the resampling streams, worlds used and missing,
  and the figures that a program asks for first.
"""


def markdown(published: Published) -> str:
    """Return the document for a market."""
    read = (outcomes_table(published), hybrids_table(published))
    parts = [HEAD, "## Read by the statistics\n", *_tables(read)]
    parts += [READ]
    parts += ["## Written under `RUN/externalities`\n"]
    parts += _tables(written_tables(published))
    parts += ["Measures in the health tables:\n", _measures(published)]
    parts += ["## Written where `tournament calibrate --out` says\n", *_tables((CALIBRATION,)), REST]
    return "\n".join(parts)


def _tables(specs: Sequence[TableSpec]) -> Iterator[str]:
    for spec in specs:
        yield f"### {spec.file}\n\n{spec.description}\n"
        lines = ["| column | type | meaning |", "| --- | --- | --- |"]
        for name, field in spec.row.model_fields.items():
            lines.append(f"| `{name}` | {_type(field.annotation)} | {_cell(field.description or '')} |")
        yield "\n".join(lines) + "\n"


def _type(annotation: Any) -> str:
    """Return the column's type in a word, `or empty` where it may be missing."""
    if get_origin(annotation) in (Union, types.UnionType):
        inner = next(part for part in get_args(annotation) if part is not type(None))
        return f"{WORDS[inner]} or empty"
    return WORDS[annotation]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _measures(published: Published) -> str:
    told = meanings(published).items()
    return "\n".join(f"- `{name}`: {_cell(meaning)}" for name, meaning in told) + "\n"


if __name__ == "__main__":
    sys.stdout.write(markdown(market_kind(sys.argv[1]).configure({}).published))
