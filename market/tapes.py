"""Named random streams: a draw is addressed by its name, never by the order of play.

Two worlds with the same scenario and seed see the same luck whatever their firms do; without that,
matched replacement would not be matched.
"""

from __future__ import annotations

import hashlib

import numpy as np


def stream(domain: str, seed: int, name: str) -> np.random.Generator:
    """Return the generator of one named stream.

    The Philox key is the first 16 bytes of SHA-256("{domain}/{seed}/{name}") as two little-endian words.
    """
    digest = hashlib.sha256(f"{domain}/{seed}/{name}".encode()).digest()
    key = np.frombuffer(digest[:16], dtype="<u8")
    return np.random.Generator(np.random.Philox(key=key))


def tie_key(domain: str, seed: int, name: str) -> str:
    """Return the hex digest by which ties of that name are ordered."""
    return hashlib.sha256(f"{domain}/{seed}/{name}".encode()).hexdigest()


def cell_key(domain: str, seed: int, name: str) -> int:
    """Return the 64-bit key of a table of draws addressed by integers: where a draw is too many to store.

    It is the first 8 bytes of SHA-256("{domain}/{seed}/{name}") as a little-endian word.
    """
    return int.from_bytes(hashlib.sha256(f"{domain}/{seed}/{name}".encode()).digest()[:8], "little")
