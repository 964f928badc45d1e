"""What a study may set of the market `merchant@1`: horizon, catalogue and the form of competition.

Every other number is a figure of the economic contract (market/merchant/figures.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tournament.errors import InputError
from tournament.field_errors import allowed_words, fault_words

WINDOWS_A_DAY = 2
HOURS_A_WINDOW = 12


def _field(default: Any, unit: str, origin: str, meaning: str) -> Any:
    return Field(default, description=meaning, json_schema_extra={"unit": unit, "origin": origin})


class Parameters(BaseModel):
    """One scenario."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    days: Annotated[int, Field(ge=1, le=365)] = _field(365, "days", "P", "horizon, from Sunday 1 June 2025")
    products: Annotated[int, Field(ge=50, le=98_843)] = _field(
        1_000, "products", "P, C", "size of the catalogue; a smaller one is the beginning of every larger one"
    )
    catalog_seed: Annotated[int, Field(ge=0, lt=2**63)] = _field(
        2026, "seed", "C", "seed of the catalogue, apart from the economic seed"
    )
    competition: Literal["share", "none"] = _field(
        "share", "form", "C", "share: stores that list one product share its buyers; none: each has its own"
    )

    @property
    def windows(self) -> int:
        return self.days * WINDOWS_A_DAY

    @property
    def hours(self) -> int:
        return self.days * 24


def configured(overrides: Mapping[str, Any]) -> Parameters:
    """Return the parameters with overrides by field name; raises InputError for a wrong name or value."""
    unknown = sorted(set(overrides) - set(Parameters.model_fields))
    if unknown:
        near = get_close_matches(unknown[0], Parameters.model_fields, n=1)
        told = f"; nearest: {near[0]}" if near else ""
        raise InputError(
            f"unknown override {unknown[0]!r}{told}; allowed: {', '.join(Parameters.model_fields)}",
            field="overrides",
        )
    try:
        return Parameters(**overrides)
    except ValidationError as failure:
        first = failure.errors()[0]
        place = ".".join(str(part) for part in ("overrides", *first["loc"]))
        told = fault_words(first, first["input"])
        field = Parameters.model_json_schema()["properties"][first["loc"][0]]
        allowed = f" (allowed: {allowed_words(field)}; {field['unit']}, {field['description']})"
        raise InputError(f"{told}{allowed}"[:400], field=place) from None


def digest(parameters: Parameters) -> str:
    """Return the SHA-256 hex digest over every parameter."""
    text = json.dumps(parameters.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
