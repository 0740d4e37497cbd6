"""torch.cuda of a rank: the simulated machine's GPUs, streams, events, memory, in the place of a CUDA that is not there."""

from __future__ import annotations

import functools
import os
from typing import Any

import torch

from ..._questions import hardware
from ..gpu.storages import Storages
from ..groups.all_groups import Groups, make_groups_here
from ..groups.pending import Pending
from ..launch.places import PlacedDevice
from ..memory.allocator import Allocator
from ..memory.expandable import expands
from ..prices import PriceList
from . import devices, makers, memory, numerics, stored, stream_objects, tensors
from .streams import Streams


@functools.lru_cache
def machine(name: str) -> dict[str, Any]:
    """What `ndsim hardware` knows of a machine."""
    return hardware(name)


def host_link(name: str) -> float:
    """Bytes per second between a host and its GPU."""
    return float(machine(name)["host_link"])


def prepare(setting: Any) -> None:
    """What a script may ask before there are ranks: whether there are GPUs, and how many."""
    facts = machine(setting.machine.name)
    torch.cuda.is_available = lambda: True
    torch.cuda.device_count = lambda: int(facts["gpus_per_node"])
    devices.describe(facts)


def equip(rank: Any) -> None:
    """Give a rank its device, and what tells the times and the memory of its operators."""
    rank.prices = PriceList(rank.machine.name, rank.options)
    rank.prices.watch_backward()
    if rank.options.launch_microseconds is not None:
        rank.prices.launch_picoseconds = round(rank.options.launch_microseconds * 1_000_000)
    capacity = int(machine(rank.machine.name)["accelerator"]["memory_bytes"])
    rank.allocator = Allocator(capacity, rank.local_rank, expands(os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "")))
    rank.device = PlacedDevice(rank.gpu, rank.prices.launch_picoseconds, rank.place)


def install(rank: Any) -> None:
    if rank.device is None:
        equip(rank)
    rank.pending = Pending(rank.device)
    rank.storages = Storages(rank.allocator)
    rank.groups = Groups(rank)
    devices.install(rank)
    rank.streams = Streams(rank)
    stream_objects.install()
    memory.install(rank)
    tensors.install(rank)
    makers.install()
    stored.install(rank)
    numerics.install(rank)
    make_groups_here(rank)
