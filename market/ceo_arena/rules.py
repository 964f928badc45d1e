"""The parameters as the kernels take them: one named tuple of arrays and numbers.

Numba compiles against the types of a named tuple's fields, so a scenario with other numbers runs the
same compiled code.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from market.ceo_arena.parameters import Parameters

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


class Rules(NamedTuple):
    """Fields as in Parameters; arrays are int64 or float64 with the shapes given there."""

    list_price: Ints
    cost: Ints
    liquidation: Ints
    holding: Ints
    lead_time: Ints
    base_quality: Reals
    throughput: Ints
    overhead: Ints
    appeal: Reals
    price_weight: Reals
    reference_weight: Reals
    promotion_weight: Reals
    quality_weight: Reals
    service_weight: Reals
    goodwill_weight: Reals
    loyalty_weight: Reals
    outside_value: Reals
    phase_weights: Reals
    patience: Ints
    channel_effect: Reals
    initial_satisfaction: float
    nest: float
    goodwill_scale: float
    loyalty_scale: float
    knowledge_retention: float
    development_scale: float
    quality_range: float
    knowledge_scale: float
    goodwill_retention: float
    marketing_scale: float
    reliability_retention: float
    reliability_gap: float
    reliability_scale: float
    satisfaction_retention: float
    unsolved_penalty: float
    support_scale: float
    refund_share: float
    loyalty_retention: float
    reference_retention: float
    fatigue_retention: float
    backorder_days: int
    tender_penalty_percent: int


def rules_of(parameters: Parameters) -> Rules:
    """Return the kernels' view of a parameter set."""
    values: list[object] = []
    for name in Rules._fields:
        value = getattr(parameters, name)
        if isinstance(value, tuple):
            kind = np.int64 if Rules.__annotations__[name] == Ints else np.float64
            value = np.array(value, dtype=kind)
        values.append(value)
    return Rules(*values)  # type: ignore[arg-type]
