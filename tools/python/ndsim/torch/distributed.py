"""Gives torch.distributed the backends of the slot: nccl for GPU tensors, gloo for host tensors.

They are installed before torch.distributed.distributed_c10d looks for them, so that it treats them like its own.
"""

from __future__ import annotations

import datetime
import functools
from types import ModuleType
from typing import Any

NCCL_TIMEOUT = datetime.timedelta(minutes=10)


def fill(c10d: Any, slot: ModuleType) -> None:
    """c10d: torch._C._distributed_c10d."""
    slot.add_process_groups()
    # Since 2.15 there are three, and "nccl" means the second.
    for name in ("ProcessGroupNCCL", "ProcessGroupNCCL2", "ProcessGroupNCCLLazy"):
        setattr(c10d, name, slot.ProcessGroupNCCL)
    c10d.ProcessGroupGloo = slot.ProcessGroupGloo
    if not hasattr(c10d, "_DEFAULT_PG_NCCL_TIMEOUT"):
        c10d._DEFAULT_PG_NCCL_TIMEOUT = NCCL_TIMEOUT


def names_groups_of_gloo(c10d: Any) -> bool:
    """Whether torch.distributed names the ranks of a gloo group itself, as it does since 2.8."""
    return hasattr(c10d.Backend.Options, "group_name")


def name_groups_of_gloo(distributed_c10d: Any) -> None:
    """Make it name them whenever it creates a group."""
    make = distributed_c10d._new_process_group_helper

    @functools.wraps(make)
    def make_and_name(size: int, rank: int, ranks: list[int], backend: Any, store: Any, name: str, *rest: Any, **others: Any) -> Any:
        made = make(size, rank, ranks, backend, store, name, *rest, **others)
        group = made[0]
        if isinstance(group, distributed_c10d.ProcessGroup):
            for device in group._device_types:
                of_device = group._get_backend(device)
                if isinstance(of_device, distributed_c10d.ProcessGroupGloo):
                    of_device.options.global_ranks_in_group = ranks
                    of_device.options.group_name = name
        return made

    distributed_c10d._new_process_group_helper = make_and_name
