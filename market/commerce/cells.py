"""Draws by name and index: one hash instead of a stored tape, so that a draw exists whether or not anybody looks.

SplitMix64 (Steele, Lea and Flood 2014) of a SHA-256 key: `cell(key, x1, x2, ...)` in [0, 1).
"""

from __future__ import annotations

import hashlib

import numpy as np

from market.commerce.parameters import DOMAIN
from market.jit import kernel

MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15
FIRST = 0xBF58476D1CE4E5B9
SECOND = 0x94D049BB133111EB

_STEP, _FIRST, _SECOND = np.uint64(STEP), np.uint64(FIRST), np.uint64(SECOND)
_ONE, _30, _27, _31, _11 = np.uint64(1), np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


def key_of(seed: int, name: str) -> int:
    """Return the 64-bit key of a cell name under an economic seed."""
    return int.from_bytes(hashlib.sha256(f"{DOMAIN}/{seed}/{name}".encode()).digest()[:8], "little")


def cell(seed: int, name: str, *indices: int) -> float:
    """Return the draw at these indices, outside kernels."""
    z = key_of(seed, name)
    for x in indices:
        z = (z + STEP * (x + 1)) & MASK
        z = ((z ^ (z >> 30)) * FIRST) & MASK
        z = ((z ^ (z >> 27)) * SECOND) & MASK
        z ^= z >> 31
    return float((z >> 11) * 2.0**-53)


@kernel
def mixed(z: np.uint64, x: int) -> np.uint64:
    """Take one index into a hash."""
    z = z + _STEP * (np.uint64(x) + _ONE)
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@kernel
def uniform(z: np.uint64) -> float:
    """Return a hash as a real in [0, 1)."""
    return np.float64(z >> _11) * 1.1102230246251565e-16
