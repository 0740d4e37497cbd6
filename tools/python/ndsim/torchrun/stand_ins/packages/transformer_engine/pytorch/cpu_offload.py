"""Offload of activations to host memory: refused."""

from __future__ import annotations

import contextlib
from typing import Any

from ndsim.torchrun.stand_ins.refused import not_simulated


def get_cpu_offload_context(enabled: bool = False, *given: Any, **settings: Any) -> tuple[Any, Any]:
    if enabled:
        not_simulated("transformer_engine's offload of activations (--cpu-offloading-num-layers)", "recompute them instead")
    return contextlib.nullcontext(), lambda tensor: tensor
