"""From a design to its worlds.

Worlds come in an order that completes comparisons early: condition by condition, the reference
lineup first, then every replacement; an interrupted study has whole matched sets.
"""

from __future__ import annotations

from lineups.values import Design, Lineup, Reference, Replacement, WorldSpec
from tournament.errors import InputError

MAX_NAME = 200


def worlds_of(design: Design) -> tuple[WorldSpec, ...]:
    """Return every world of the design; raises InputError if two would share a name or one is too long."""
    base = Lineup(seats=design.lineup)
    specs: list[WorldSpec] = []
    for seed in design.seeds:
        for repeat in range(1, design.repeats[seed] + 1):
            lineups = [base, *_replacements(design, base, seed, repeat)]
            specs += [
                _world(base, lineup, rotation, seed, repeat)
                for rotation in design.rotations
                for lineup in lineups
            ]
    _refuse_clashes(specs)
    return tuple(specs)


def _replacements(design: Design, base: Lineup, seed: int, repeat: int) -> list[Lineup]:
    return [
        base.replace(Replacement(reference=reference.contestant, replaced=_in_seat_order(base, group)))
        for reference in design.references
        if _covers(reference, seed, repeat)
        for group in design.replace
    ]


def _covers(reference: Reference, seed: int, repeat: int) -> bool:
    return seed in reference.seeds and repeat <= reference.repeats[seed]


def _in_seat_order(base: Lineup, group: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(contestant for contestant in base.seats if contestant in group)


def _world(base: Lineup, lineup: Lineup, rotation: int, seed: int, repeat: int) -> WorldSpec:
    replacement = lineup.replacement
    replaced = () if replacement is None else replacement.replaced
    original = base.rotated(rotation)
    return WorldSpec(
        world=f"{lineup.name}.r{rotation}.s{seed}.n{repeat}",
        lineup=lineup.name,
        reference=None if replacement is None else replacement.reference,
        replaced=replaced,
        replaced_seats=tuple(original.index(contestant) + 1 for contestant in replaced),
        rotation=rotation,
        seed=seed,
        repeat=repeat,
        seats=lineup.rotated(rotation),
    )


def _refuse_clashes(specs: list[WorldSpec]) -> None:
    """World names become folders: unique also where case is not told apart, and not too long."""
    seen: dict[str, WorldSpec] = {}
    for spec in specs:
        other = seen.setdefault(spec.world.casefold(), spec)
        if other is not spec:
            raise InputError(
                f"two different lineups would both be named {spec.lineup}; rename a contestant "
                "(ids that contain '-for-' or differ by case alone can clash)"
            )
        if len(spec.world) > MAX_NAME:
            raise InputError(
                f"the world name {spec.world[:40]}... has {len(spec.world)} characters, "
                f"{MAX_NAME} at most; shorten the contestants' ids"
            )
