"""On what terms tokens are bought: service tier, speed and place, as an entry asks and as an answer tells.

Each multiplies what a token costs, and what was asked is not always what was served: OpenAI serves
`default` where it has no `priority` to give, and says so. So a bound looks at what was asked and a reply is
priced by what its answer names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agents.routes.entry import RouteEntry
from tournament.records import Json

TIER: Final = "service_tier"
# Under which names a request asks for a term and an answer tells it; Bedrock writes `serviceTier: {type: ...}`.
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    TIER: (TIER, "serviceTier"),
    "speed": ("speed",),
    "inference_geo": ("inference_geo",),
}
# Words for the list price: OpenAI, Anthropic, Groq, Bedrock, Gemini; a place that is none.
_STANDARD: Final = frozenset(
    {
        "",
        "auto",
        "default",
        "standard",
        "standard_only",
        "on_demand",
        "unspecified",
        "global",
        "not_available",
    }
)
# Vertex tells the tier as a kind of traffic.
_TRAFFIC: Final[Mapping[str, str]] = {
    "ON_DEMAND": "",
    "ON_DEMAND_FLEX": "flex",
    "ON_DEMAND_PRIORITY": "priority",
    "PROVISIONED_THROUGHPUT": "provisioned_throughput",
}
# Where an answer tells its terms: beside its usage, or in it.
_USAGE: Final = ("usage", "usageMetadata", "usage_metadata")
_TRAFFIC_FIELDS: Final = ("trafficType", "traffic_type")

Terms = Mapping[str, str]


def asked_terms(entry: RouteEntry) -> Terms:
    """Return the terms that an entry asks for beside the list price, by field."""
    extra = entry.options.get("extra_body")
    body = extra if isinstance(extra, Mapping) else {}
    return _terms((entry.params, entry.options, body))


def is_open_tier(entry: RouteEntry) -> bool:
    """Tell an entry that leaves the tier to its provider by name: `auto` may be served as any."""
    return any(place.get(TIER) == "auto" for place in (entry.params, entry.options))


def served_terms(raw: Json, asked: Terms) -> Terms:
    """Return the terms that an answer tells; what it is silent on was served as asked."""
    if not isinstance(raw, Mapping):
        return asked
    reports = [raw[name] for name in _USAGE if isinstance(raw.get(name), Mapping)]
    told: dict[str, str] = {}
    for place in reports:
        for name in _TRAFFIC_FIELDS:
            if isinstance(place.get(name), str):
                told[TIER] = _TRAFFIC.get(place[name], place[name].lower())
    for place in (*reports, raw):
        told = {**_told(place), **told}
    return {field: word for field, word in {**asked, **told}.items() if word}


def _terms(places: tuple[Mapping[str, Json], ...]) -> Terms:
    found = {field: word for place in places for field, word in _told(place).items()}
    return {field: word for field, word in found.items() if word}


def _told(place: Mapping[str, Json]) -> Mapping[str, str]:
    return dict(_named(place))


def _named(place: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield each term that stands in one object; an empty word is the list price, told as such."""
    for field, names in FIELDS.items():
        for name in names:
            value = place.get(name)
            word = value.get("type") if isinstance(value, Mapping) else value
            if isinstance(word, str):
                yield field, "" if word.lower() in _STANDARD else word.lower()
                break
