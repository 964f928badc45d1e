"""Named random streams for resampling, so that equal files give equal tables.

A stream is addressed by the study's hash and a name, as the market addresses its tapes: adding a
table never shifts another table's draws.
"""

from __future__ import annotations

import hashlib

import numpy as np

DRAWS = 10_000


def stream(study_hash: str, name: str) -> np.random.Generator:
    """Return the generator of this name: Philox keyed by SHA-256 of study hash and name."""
    digest = hashlib.sha256(f"ceo-arena-statistics/{study_hash}/{name}".encode()).digest()
    key = np.frombuffer(digest[:16], dtype="<u8")
    return np.random.Generator(np.random.Philox(key=key))
