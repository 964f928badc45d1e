"""Checking a run by its files alone: hashes, replay, hybrids."""
