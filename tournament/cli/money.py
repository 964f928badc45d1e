"""How what models have cost is said, in `status` and `watch` alike: what is known, and what may come to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from agents.llm.accounting.usage import Account

HEADS: Final = ("spent", "at most more")


def money(account: Account) -> tuple[str, str]:
    """Return an account's known dollars, and the most that lost and unpriced replies can have cost besides."""
    return f"${account.cost_usd:.4f}", f"${account.possibly_paid_usd:.4f}"


def caps(
    usd: float | None, usd_per_world: float | None, *, counted: float, max_world_cost: float
) -> list[str]:
    """Return what of each dollar cap is used: caps count both, what is spent and what may come to it."""
    said = []
    if usd is not None:
        said.append(f"cap ${usd:g}: {counted / usd:.0%} used")
    if usd_per_world is not None:
        said.append(
            f"cap ${usd_per_world:g} a world: {max_world_cost / usd_per_world:.0%} used in the dearest"
        )
    return said
