"""The estimands of matched replacement, exact in integer cents.

A contrast subtracts a replacement world L_-B, in which a reference policy sits in entrant B's seat,
from the reference lineup L_-R at the same rotation, seed and repeat: worlds that share every draw of
the economy, so that what is left is what B does rather than what the day brought. Cents stay integers
until a mean is asked for, and private + total = market is checked for every pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from externalities.outcomes import PlayedWorld
from lineups.pairs import MatchedPair
from lineups.values import Draw
from tournament.errors import DamageError
from tournament.published import ScoreKind

Pair = MatchedPair[PlayedWorld]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateGain:
    """S_B(L_-R) - S_R(L_-B) at B's seat (CEO Arena, section 3.4); summed over several replaced seats."""

    entrant: str
    reference: str
    draw: Draw
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectedExternality:
    """S_A(L_-R) - S_A(L_-B): what entrant B does to rival A (CEO Arena, section 3.4)."""

    entrant: str
    rival: str
    reference: str
    draw: Draw
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketDifference:
    """Sum of all Scores of L_-R less that of L_-B, with the part that falls on the rivals.

    `total_cents` is the total externality; `mean_cents` divides it by the number of rivals and is None
    when everybody was replaced.
    """

    entrant: str
    reference: str
    draw: Draw
    total_cents: int
    rivals: int
    market_cents: int

    @property
    def mean_cents(self) -> float | None:
        return self.total_cents / self.rivals if self.rivals else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrasts:
    """Every matched contrast of a run on one kind of Score."""

    kind: ScoreKind
    private: tuple[PrivateGain, ...]
    directed: tuple[DirectedExternality, ...]
    market: tuple[MarketDifference, ...]


def contrasts(pairs: Sequence[Pair], kind: ScoreKind = "score") -> Contrasts:
    """Return private, directed and market contrasts of all pairs, in the pairs' order.

    Raises DamageError where private + total differs from the market difference: it cannot.

    Source: CEO Arena, section 3.4.
    """
    private = tuple(private_gain(pair, kind) for pair in pairs)
    directed = tuple(effect for pair in pairs for effect in directed_externalities(pair, kind))
    market = tuple(market_difference(pair, kind) for pair in pairs)
    for gain, difference in zip(private, market, strict=True):
        if gain.cents + difference.total_cents != difference.market_cents:
            raise DamageError(
                f"{gain.entrant} against {gain.reference} at {gain.draw}: private {gain.cents} and total "
                f"{difference.total_cents} do not make the market difference {difference.market_cents}"
            )
    return Contrasts(kind=kind, private=private, directed=directed, market=market)


def private_gain(pair: Pair, kind: ScoreKind) -> PrivateGain:
    """Return S_B(L_-R) - S_R(L_-B) in cents (CEO Arena, section 3.4)."""
    own, stand_in = pair.control.scores(kind), pair.treated.scores(kind)
    cents = sum(int(own[seat]) - int(stand_in[seat]) for seat in pair.replaced)
    return PrivateGain(entrant=pair.entrant, reference=pair.reference, draw=pair.draw, cents=cents)


def directed_externalities(pair: Pair, kind: ScoreKind) -> tuple[DirectedExternality, ...]:
    """Return S_A(L_-R) - S_A(L_-B) in cents for each rival A, by seat (CEO Arena, section 3.4)."""
    present, absent = pair.control.scores(kind), pair.treated.scores(kind)
    return tuple(
        DirectedExternality(
            entrant=pair.entrant,
            rival=pair.control.seats[seat],
            reference=pair.reference,
            draw=pair.draw,
            cents=int(present[seat]) - int(absent[seat]),
        )
        for seat in pair.rivals
    )


def market_difference(pair: Pair, kind: ScoreKind) -> MarketDifference:
    """Return the difference of the sums of all Scores in cents, and the rivals' part (section 3.4)."""
    present, absent = pair.control.scores(kind), pair.treated.scores(kind)
    return MarketDifference(
        entrant=pair.entrant,
        reference=pair.reference,
        draw=pair.draw,
        total_cents=sum(int(present[seat]) - int(absent[seat]) for seat in pair.rivals),
        rivals=len(pair.rivals),
        market_cents=int(present.sum()) - int(absent.sum()),
    )
