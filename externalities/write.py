"""From a run's finished worlds to the files of its `externalities` folder.

`run` calls this at its end, also when only part of the plan has been played: what is missing is left
out and counted, never filled. Equal files and options give equal bytes. Options other than the usual
ones write to a folder of their own, so that a run's published tables stay what they were.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from externalities import report_json
from externalities.analysis import Analysis, AuxiliaryInputs, Options, analyse
from externalities.decomposition import HYBRIDS, DecompositionMeanRow, read_hybrids
from externalities.health import world_measures
from externalities.network import graphml_text, json_text
from externalities.operating_reliability import read_usage
from externalities.outcomes import NO_CASH_SCORE
from externalities.paths import write_paths
from externalities.rows import csv_text
from externalities.run_files import Run, read_run
from externalities.salvage import SALVAGE_TABLE
from externalities.text import render
from externalities.usage import write_usage
from tournament.errors import InputError
from tournament.published import Published, ScoreKind
from tournament.records import Json
from tournament.storage import disk_errors, write_atomic

FOLDER = "externalities"
CASH = "cash"
USUAL = Options()


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What was written: text for a terminal, the same for programs, and the SHA-256 of each file.

    `files` maps a path relative to the run directory to the hex digest of its bytes; `decomposition` is
    empty where the run was never decomposed; `published` is what the run's market declares.
    """

    text: str
    report: Mapping[str, Json]
    files: Mapping[str, str]
    published: Published
    decomposition: Sequence[DecompositionMeanRow]


def write_externalities(
    run: Path,
    *,
    options: Options = USUAL,
    shown: ScoreKind = "score",
    baselines: Sequence[str] = (),
) -> Summary:
    """Write every table that the run's finished worlds allow, on every kind of Score that its market offers.

    `shown` and `baselines` choose what the text tells: which score, and which reference policies (all).
    Raises InputError if no world has ended, a baseline is unknown or the score is not offered, DamageError
    if outcomes do not add up.
    """
    found = read_run(run, options.repeat)
    kinds = found.published.score_kinds
    if shown not in kinds:
        raise InputError(NO_CASH_SCORE, field="--score")
    references = _chosen(found, baselines)
    auxiliary = AuxiliaryInputs(
        usage=read_usage(run, found.worlds),
        health={world.world: world_measures(run / "worlds" / world.world) for world in found.worlds},
        hybrids=read_hybrids(run / HYBRIDS, found.published),
    )
    analyses = {kind: analyse(found, kind, options, auxiliary) for kind in kinds}
    salvage = report_json.salvage(analyses["score"], analyses["cash"]) if "cash" in kinds else []
    folder = run / FOLDER / _label(options)
    files: dict[str, str] = {}
    reports = {}
    for kind, analysis in analyses.items():
        reports[kind] = report_json.summary(found, analysis, options, salvage)
        texts = _texts(analysis) | {"summary.json": _json(reports[kind])}
        if found.published.offers_cash_score:
            texts[SALVAGE_TABLE.file] = csv_text(SALVAGE_TABLE.row, salvage)
        files |= _publish(run, folder if kind == "score" else folder / CASH, texts)
    if options.canonical:
        files |= write_paths(found, folder) | write_usage(found, folder)
    told = analyses[shown]
    return Summary(
        text=render(found, told, salvage, references),
        report=reports[shown],
        published=found.published,
        files=files,
        decomposition=told.decomposition,
    )


def _chosen(run: Run, baselines: Sequence[str]) -> Sequence[str]:
    known = [group.reference for group in run.sets]
    for name in baselines:
        if name not in known:
            allowed = ", ".join(name for name in known if name) or "none"
            raise InputError(
                f"no reference policy {name} in this run; there is {allowed}", field="--baseline"
            )
    return baselines or known


def _label(options: Options) -> str:
    """Return the folder for these options: none for the usual ones."""
    parts = []
    if options.repeat is not None:
        parts.append(f"repeat-{options.repeat}")
    if options.level != USUAL.level:
        parts.append(f"ci-{options.level:g}")
    if options.draws != USUAL.draws:
        parts.append(f"draws-{options.draws}")
    return "_".join(parts)


def _texts(found: Analysis) -> dict[str, str]:
    texts = {spec.file: csv_text(spec.row, rows) for spec, rows in found.tables.items()}
    named = [(reference, group.network) for reference, group in found.groups.items() if reference]
    for index, (reference, network) in enumerate(named):
        stem = "network" if index == 0 else f"network-{reference}"
        texts[f"{stem}.graphml"] = graphml_text(network)
        texts[f"{stem}.json"] = json_text(network)
    return texts


def _json(document: Mapping[str, Json]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _publish(run: Path, folder: Path, texts: Mapping[str, str]) -> dict[str, str]:
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return {
        (folder / name).relative_to(run).as_posix(): write_atomic(folder / name, text)
        for name, text in texts.items()
    }
