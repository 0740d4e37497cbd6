"""torch.distributed's backends are those of the slot: nccl for tensors of the GPU, gloo for those of the host.

They are put in their places before torch.distributed.distributed_c10d looks for them, so that it takes its own way with them.
"""

from __future__ import annotations

import datetime
from types import ModuleType
from typing import Any

NCCL_TIMEOUT = datetime.timedelta(minutes=10)


def fill(c10d: Any, slot: ModuleType) -> None:
    """c10d: torch._C._distributed_c10d."""
    slot.add_process_groups()
    c10d.ProcessGroupNCCL = slot.ProcessGroupNCCL
    c10d.ProcessGroupGloo = slot.ProcessGroupGloo
    if not hasattr(c10d, "_DEFAULT_PG_NCCL_TIMEOUT"):
        c10d._DEFAULT_PG_NCCL_TIMEOUT = NCCL_TIMEOUT
