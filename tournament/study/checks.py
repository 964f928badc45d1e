"""What a study file must satisfy beyond the shape of its fields, each refusal at its place in the file."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from lineups.enumeration import worlds_of
from lineups.values import Design, Reference
from tournament.errors import InputError
from tournament.registry import alternatives
from tournament.study.model import ReferenceEntry, StudyFile
from tournament.study.yaml import Document, Loc


def design_of(document: Document, study: StudyFile) -> Design:
    """Return the design that a well-formed study file describes; raises InputError at a contradiction."""
    _check_keys(document)
    _refuse_twice(document, ("seeds",), study.seeds, "the seed {} is listed twice")
    _check_lineup(document, study)
    repeats = _repeats(document, ("repeats",), study.repeats, study.seeds)
    _check_rotations(document, study)
    design = Design(
        lineup=tuple(study.lineup),
        replace=_replaced(document, study),
        references=tuple(
            _reference(document, index, entry, study, repeats) for index, entry in enumerate(study.references)
        ),
        seeds=tuple(study.seeds),
        repeats=repeats,
        rotations=tuple(study.rotations),
    )
    contestants = [entry.contestant for entry in study.references]
    _refuse_twice(document, ("references",), contestants, "{} is already a reference", "contestant")
    try:
        worlds_of(design)
    except InputError as clash:
        raise document.refuse(("contestants",), str(clash), at_key=True) from None
    return design


def _refuse_twice(document: Document, loc: Loc, items: Sequence[Hashable], message: str, *inner: str) -> None:
    for index, item in enumerate(items):
        if item in items[:index]:
            first = document.places[(*loc, items.index(item), *inner)][0]
            reason = f"{message.format(item)}, first in line {first}"
            raise document.refuse((*loc, index, *inner), reason)


def _check_keys(document: Document) -> None:
    """Only a map of repeats has numbers as keys; anywhere else JSON could not hold them."""
    for loc in document.keys:
        if isinstance(loc[-1], int) and loc[-2:-1] != ("repeats",):
            reason = f"the key {loc[-1]} is a number; quote it"
            raise document.refuse(loc, reason, at_key=True)


def _require_declared(document: Document, study: StudyFile, loc: Loc, contestant: str) -> None:
    if contestant not in study.contestants:
        known = alternatives(contestant, list(study.contestants))
        raise document.refuse(loc, f"{contestant} is not declared under contestants; {known}")


def _check_lineup(document: Document, study: StudyFile) -> None:
    for index, contestant in enumerate(study.lineup):
        _require_declared(document, study, ("lineup", index), contestant)
        if contestant in study.lineup[:index]:
            seat = study.lineup.index(contestant) + 1
            reason = f"{contestant} already sits in seat {seat}; seat a policy twice under two ids"
            raise document.refuse(("lineup", index), reason)


def _check_rotations(document: Document, study: StudyFile) -> None:
    _refuse_twice(document, ("rotations",), study.rotations, "the rotation {} is listed twice")
    seats = len(study.lineup)
    for index, shift in enumerate(study.rotations):
        if shift >= seats:
            reason = f"a lineup of {seats} seats has the rotations 0 to {seats - 1}, not {shift}"
            raise document.refuse(("rotations", index), reason)


def _repeats(
    document: Document, loc: Loc, repeats: int | dict[int, int], seeds: Sequence[int]
) -> dict[int, int]:
    if isinstance(repeats, int):
        return dict.fromkeys(seeds, repeats)
    listed = ", ".join(map(str, seeds))
    for seed in repeats:
        if seed not in seeds:
            raise document.refuse((*loc, seed), f"{seed} is not among the seeds {listed}", at_key=True)
    for seed in seeds:
        if seed not in repeats:
            raise document.refuse(loc, f"the seed {seed} is missing; the map names each of {listed}")
    return {seed: repeats[seed] for seed in seeds}


def _replaced(document: Document, study: StudyFile) -> tuple[tuple[str, ...], ...]:
    if isinstance(study.replace, str):
        return tuple((contestant,) for contestant in study.lineup)
    groups: list[tuple[str, ...]] = []
    for index, item in enumerate(study.replace):
        group = (item,) if isinstance(item, str) else tuple(item)
        for position, contestant in enumerate(group):
            inner = () if isinstance(item, str) else (position,)
            if contestant not in study.lineup:
                known = alternatives(contestant, study.lineup)
                reason = f"{contestant} is not in the lineup and can't be replaced; {known}"
                raise document.refuse(("replace", index, *inner), reason)
        if not isinstance(item, str):
            _refuse_twice(document, ("replace", index), group, "{} is already in this item")
        groups.append(group)
    _refuse_twice(document, ("replace",), [frozenset(group) for group in groups], "this item is listed twice")
    return tuple(groups)


def _reference(
    document: Document, index: int, entry: ReferenceEntry, study: StudyFile, repeats: dict[int, int]
) -> Reference:
    loc: Loc = ("references", index)
    _require_declared(document, study, (*loc, "contestant"), entry.contestant)
    if entry.contestant in study.lineup:
        reason = f"{entry.contestant} sits in the lineup and can't replace; declare it again under another id"
        raise document.refuse((*loc, "contestant"), reason)
    seeds = _narrowed_seeds(document, loc, entry, study)
    own = {seed: repeats[seed] for seed in seeds}
    if entry.repeats is not None:
        own = _repeats(document, (*loc, "repeats"), entry.repeats, seeds)
    for seed, count in own.items():
        if count > repeats[seed]:
            reason = f"seed {seed} has {repeats[seed]} repeats in this study, {count} have no match"
            raise document.refuse((*loc, "repeats"), reason)
    return Reference(contestant=entry.contestant, seeds=seeds, repeats=own)


def _narrowed_seeds(document: Document, loc: Loc, entry: ReferenceEntry, study: StudyFile) -> tuple[int, ...]:
    if entry.seeds is None:
        return tuple(study.seeds)
    _refuse_twice(document, (*loc, "seeds"), entry.seeds, "the seed {} is listed twice")
    for position, seed in enumerate(entry.seeds):
        if seed not in study.seeds:
            listed = ", ".join(map(str, study.seeds))
            reason = f"{seed} is not among the study's seeds {listed}"
            raise document.refuse((*loc, "seeds", position), reason)
    return tuple(seed for seed in study.seeds if seed in entry.seeds)
