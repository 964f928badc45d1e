"""Worlds that no lineup asks for: hybrids of recorded seals, and searches."""
