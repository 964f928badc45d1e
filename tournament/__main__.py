"""`python -m tournament` is the `tournament` command."""

from __future__ import annotations

from tournament.cli.app import main

if __name__ == "__main__":
    main()
