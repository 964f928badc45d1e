"""Every parameter and figure of a scenario as JSON, for hashes and documents."""

from __future__ import annotations

from collections.abc import Mapping

from market.merchant import figures
from market.merchant.categories import CATEGORIES, STYLES
from market.merchant.parameters import Parameters
from market.merchant.season import FESTIVALS, FIRST_DATE, KNOTS, WEEKDAYS
from tournament.records import Json


def described(parameters: Parameters) -> Mapping[str, Json]:
    """Return the parameters by name, and under `figures` what no study can set."""
    fixed = {name.lower(): _plain(value) for name, value in sorted(vars(figures).items()) if name.isupper()}
    calendar = {
        "first_date": FIRST_DATE.isoformat(),
        "weekdays": WEEKDAYS,
        "festival": KNOTS,
        "dates": FESTIVALS,
    }
    return {
        **parameters.model_dump(mode="json"),
        "figures": {
            **fixed,
            "calendar": _plain(calendar),
            "categories": [_plain(row._asdict()) for row in CATEGORIES],
            "styles": list(STYLES),
        },
    }


def _plain(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
