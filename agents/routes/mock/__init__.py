"""A model and a provider that are none: for tests, rehearsals and first tries."""
