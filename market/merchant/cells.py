"""Draws addressed by integers: the key of a name stirred with one index after another (SplitMix64).

Nothing is stored; a draw exists whether or not anybody looks (Steele, Lea and Flood 2014).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from market.jit import kernel, routine
from market.merchant.figures import DOMAIN
from market.tapes import cell_key

GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
SECOND: Final = np.uint64(0x94D049BB133111EB)
UNIT: Final = 2.0**-53

NAMES: Final = (
    *("price/wait", "delist/wait", "delay/wait", "price/length", "delist/length", "delay/length"),
    *("price/size", "delay/size", "arrival", "split", "turn", "outcome", "cancel", "settle"),
)
# A channel's number (price 0, delist 1, delay 2) is added to the first two.
WAIT: Final = NAMES.index("price/wait")
LENGTH: Final = NAMES.index("price/length")
PRICE_SIZE: Final = NAMES.index("price/size")
DELAY_SIZE: Final = NAMES.index("delay/size")
ARRIVAL: Final = NAMES.index("arrival")
SPLIT: Final = NAMES.index("split")
TURN: Final = NAMES.index("turn")
OUTCOME: Final = NAMES.index("outcome")
CANCEL: Final = NAMES.index("cancel")
SETTLE: Final = NAMES.index("settle")


def cell_keys(seed: int) -> NDArray[np.uint64]:
    """Return the key of every named table of draws, in the order of NAMES."""
    return np.array([cell_key(DOMAIN, seed, name) for name in NAMES], dtype=np.uint64)


@kernel
def stirred(word: np.uint64, index: int) -> np.uint64:
    """Stir one index into a word."""
    word = word + GOLDEN * np.uint64(index + 1)
    word = (word ^ (word >> np.uint64(30))) * FIRST
    word = (word ^ (word >> np.uint64(27))) * SECOND
    return word ^ (word >> np.uint64(31))


@kernel
def unit(word: np.uint64) -> float:
    """Return the draw in [0, 1) of a word."""
    return np.float64(word >> np.uint64(11)) * UNIT


@routine
def cell2(key: np.uint64, first: int, second: int) -> float:
    """Return the draw at two indices."""
    return unit(stirred(stirred(key, first), second))


@routine
def cell3(key: np.uint64, first: int, second: int, third: int) -> float:
    """Return the draw at three indices."""
    return unit(stirred(stirred(stirred(key, first), second), third))


@routine
def cell4(key: np.uint64, first: int, second: int, third: int, fourth: int) -> float:
    """Return the draw at four indices."""
    return unit(stirred(stirred(stirred(stirred(key, first), second), third), fourth))
