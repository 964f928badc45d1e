"""What of the statistics a run's market does not offer, said in one line each instead of left to be guessed."""

from __future__ import annotations

from externalities.health import MEASURES_PARQUET
from externalities.paths import SERIES_PARQUET
from externalities.run_files import Run


def not_offered(run: Run) -> list[str]:
    """Return in a line each what these statistics would tell and this run's market does not offer."""
    published = run.published
    lacking = {
        "cash-only score": published.offers_cash_score,
        "accounts of effects": bool(published.accounts),
        "concentration of income": published.role("income") is not None,
        "bankruptcies": published.role("exit") is not None,
        "measures": run.has_world_file(MEASURES_PARQUET),
        "paths": run.has_world_file(SERIES_PARQUET),
    }
    return [f"{name}: not offered by this run's market" for name, offered in lacking.items() if not offered]
