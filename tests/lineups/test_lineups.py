"""Enumeration of matched replacement: the paper's designs by count, and what holds for every design."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineups.balance import attendance
from lineups.enumeration import worlds_of
from lineups.pairs import matched_pairs
from lineups.plan_file import plan_text, spec_from_json
from lineups.values import Design, Lineup, Reference, Replacement
from tournament.errors import DamageError, InputError

EIGHT = tuple("abcdefgh")


def each(lineup: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple((contestant,) for contestant in lineup)


def everywhere(contestant: str, seeds: tuple[int, ...], repeats: dict[int, int]) -> Reference:
    return Reference(contestant=contestant, seeds=seeds, repeats=repeats)


@st.composite
def designs(draw: st.DrawFn) -> Design:
    size = draw(st.integers(2, 16))
    lineup = tuple(f"e{number}" for number in range(size))
    groups = draw(
        st.lists(
            st.sets(st.sampled_from(lineup), min_size=1, max_size=3).map(frozenset), unique=True, max_size=5
        )
    )
    seeds = tuple(draw(st.lists(st.integers(0, 999), min_size=1, max_size=3, unique=True)))
    repeats = {seed: draw(st.integers(1, 3)) for seed in seeds}
    references = []
    for contestant in draw(st.lists(st.sampled_from(["rule", "idle"]), unique=True)):
        narrowed = tuple(draw(st.lists(st.sampled_from(seeds), unique=True, min_size=1)))
        own = {seed: draw(st.integers(1, repeats[seed])) for seed in narrowed}
        references.append(Reference(contestant=contestant, seeds=narrowed, repeats=own))
    rotations = tuple(draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=3, unique=True)))
    return Design(
        lineup=lineup,
        replace=tuple(tuple(group) for group in groups),
        references=tuple(references),
        seeds=seeds,
        repeats=repeats,
        rotations=rotations,
    )


def test_the_main_evaluation_is_27_worlds_and_24_outcomes_an_agent() -> None:
    seeds = (11, 29, 47)
    once = dict.fromkeys(seeds, 1)
    worlds = worlds_of(
        Design(
            lineup=EIGHT,
            replace=each(EIGHT),
            references=(everywhere("rule", seeds, once),),
            seeds=seeds,
            repeats=once,
        )
    )
    assert len(worlds) == 27
    assert len({spec.lineup for spec in worlds}) == 9
    assert [row.worlds for row in attendance(worlds)] == [24] * 9
    assert [row.seats for row in attendance(worlds)][:2] == [{1: 24}, {2: 24}]
    assert attendance(worlds)[8].seats == dict.fromkeys(range(1, 9), 3)


def test_the_robustness_set_is_53_worlds() -> None:
    seeds = (11, 29, 47)
    repeats = {11: 3, 29: 1, 47: 1}
    worlds = worlds_of(
        Design(
            lineup=EIGHT,
            replace=each(EIGHT),
            references=(everywhere("rule", seeds, repeats), everywhere("idle", (11,), {11: 1})),
            seeds=seeds,
            repeats=repeats,
        )
    )
    assert len(worlds) == 53
    assert sum(spec.reference == "idle" for spec in worlds) == 8
    assert sum(spec.seed == 11 for spec in worlds) == 27 + 8


def test_worlds_are_named_and_seated_by_contract() -> None:
    once = {11: 1}
    worlds = worlds_of(
        Design(
            lineup=("a", "b", "c"),
            replace=(("b",), ("c", "a")),
            references=(everywhere("rule", (11,), once),),
            seeds=(11,),
            repeats=once,
            rotations=(0, 1),
        )
    )
    assert [(spec.world, spec.seats, spec.replaced_seats) for spec in worlds] == [
        ("ref.r0.s11.n1", ("a", "b", "c"), ()),
        ("rule-for-b.r0.s11.n1", ("a", "rule", "c"), (2,)),
        ("rule-for-a+c.r0.s11.n1", ("rule", "b", "rule"), (1, 3)),
        ("ref.r1.s11.n1", ("c", "a", "b"), ()),
        ("rule-for-b.r1.s11.n1", ("c", "a", "rule"), (3,)),
        ("rule-for-a+c.r1.s11.n1", ("rule", "rule", "b"), (2, 1)),
    ]


@given(designs())
def test_every_replacement_has_its_reference_world_and_differs_in_the_replaced_seats_alone(
    design: Design,
) -> None:
    worlds = worlds_of(design)
    pairs = matched_pairs(worlds)
    assert len(pairs) == sum(spec.reference is not None for spec in worlds)
    for pair in pairs:
        before, after = pair.control, pair.treated
        assert before.draw == after.draw == pair.draw
        assert after.seats == tuple(
            pair.reference if seat in pair.replaced else name for seat, name in enumerate(before.seats)
        )
        gone = [before.seats[seat] for seat in pair.replaced]
        assert sorted(gone) == sorted(after.replaced) == sorted(pair.entrant.split("+"))
        assert sorted(seat + 1 for seat in pair.replaced) == sorted(after.replaced_seats)
        assert sorted((*gone, *(before.seats[seat] for seat in pair.rivals))) == sorted(design.lineup)


def test_a_replacement_without_its_reference_world_makes_no_pair_and_other_seats_are_damage() -> None:
    once = {11: 1}
    reference, replacement = worlds_of(
        Design(
            lineup=("a", "b", "c"),
            replace=(("b",),),
            references=(everywhere("rule", (11,), once),),
            seeds=(11,),
            repeats=once,
        )
    )
    assert matched_pairs([replacement]) == ()
    for seats in (("rule", "b", "c"), ("a", "idle", "c"), ("a", "rule")):
        with pytest.raises(DamageError, match=r"rule-for-b\.r0\.s11\.n1"):
            matched_pairs([reference, replace(replacement, seats=seats)])


@given(designs())
def test_a_plan_file_gives_back_the_worlds_it_was_written_from(design: Design) -> None:
    worlds = worlds_of(design)
    assert tuple(spec_from_json(json.loads(line)) for line in plan_text(worlds).splitlines()) == worlds


@given(designs())
def test_the_number_of_worlds_is_the_sum_over_conditions(design: Design) -> None:
    expected = len(design.rotations) * (
        sum(design.repeats[seed] for seed in design.seeds)
        + len(design.replace)
        * sum(reference.repeats[seed] for reference in design.references for seed in reference.seeds)
    )
    worlds = worlds_of(design)
    assert len(worlds) == expected
    assert len({spec.world for spec in worlds}) == expected


@given(designs())
def test_a_full_set_of_rotations_seats_every_entrant_everywhere_equally_often(design: Design) -> None:
    size = len(design.lineup)
    full = worlds_of(
        Design(
            lineup=design.lineup,
            replace=(),
            references=(),
            seeds=design.seeds,
            repeats=design.repeats,
            rotations=tuple(range(size)),
        )
    )
    for row in attendance(full):
        assert row.even
        assert set(row.seats) == set(range(1, size + 1))


@given(st.integers(2, 16), st.integers(0, 15))
def test_a_rotation_keeps_who_sits_next_to_whom(size: int, shift: int) -> None:
    seats = tuple(range(size))
    lineup = Lineup(seats=tuple(map(str, seats)))
    turned = lineup.rotated(shift % size)
    assert turned[shift % size] == "0"
    assert {(turned[i], turned[(i + 1) % size]) for i in seats} == {
        (str(i), str((i + 1) % size)) for i in seats
    }


def test_a_replacement_names_several_in_seat_order_whatever_the_order_given() -> None:
    for group in combinations(EIGHT, 2):
        once = {1: 1}
        names = {
            spec.lineup
            for order in (group, group[::-1])
            for spec in worlds_of(
                Design(
                    lineup=EIGHT,
                    replace=(order,),
                    references=(everywhere("rule", (1,), once),),
                    seeds=(1,),
                    repeats=once,
                )
            )
        }
        assert names == {"ref", Replacement(reference="rule", replaced=group).name}


@pytest.mark.parametrize(
    ("lineup", "references"),
    [(("c", "b-for-c"), ("a", "a-for-b")), (("x", "X"), ("rule",))],
)
def test_ids_that_would_give_two_worlds_one_folder_are_refused(
    lineup: tuple[str, ...], references: tuple[str, ...]
) -> None:
    once = {1: 1}
    with pytest.raises(InputError, match="rename a contestant"):
        worlds_of(
            Design(
                lineup=lineup,
                replace=each(lineup),
                references=tuple(everywhere(contestant, (1,), once) for contestant in references),
                seeds=(1,),
                repeats=once,
            )
        )


def test_a_world_name_too_long_for_a_folder_is_refused() -> None:
    lineup = tuple(f"{'long' * 5}{number}" for number in range(16))
    once = {1: 1}
    with pytest.raises(InputError, match="200 at most"):
        worlds_of(
            Design(
                lineup=lineup,
                replace=(lineup,),
                references=(everywhere("rule", (1,), once),),
                seeds=(1,),
                repeats=once,
            )
        )
