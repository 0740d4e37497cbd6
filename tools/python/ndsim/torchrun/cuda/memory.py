"""torch.cuda's statistics of memory: what the model of the caching allocator holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def install(rank: Any) -> None:
    """Put the statistics of this rank's allocator into torch.cuda."""
    cuda = torch.cuda

    def current() -> Any:
        rank.storages.sweep()
        return rank.allocator

    def of(name: str) -> Callable[..., int]:
        return lambda device=None: int(getattr(current(), name))

    def memory_stats(device: Any = None) -> dict[str, Any]:
        return dict(current().statistics())

    def mem_get_info(device: Any = None) -> tuple[int, int]:
        total = cuda.get_device_properties(device).total_memory
        return total - int(current().reserved), total

    def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
        lines = [f"{name:40} {value}" for name, value in sorted(memory_stats().items())]
        return "\n".join(lines)

    functions = {
        "memory_allocated": of("allocated"),
        "max_memory_allocated": of("peak_allocated"),
        "memory_reserved": of("reserved"),
        "memory_cached": of("reserved"),
        "max_memory_reserved": of("peak_reserved"),
        "max_memory_cached": of("peak_reserved"),
        "memory_stats": memory_stats,
        "memory_summary": memory_summary,
        "mem_get_info": mem_get_info,
        "empty_cache": lambda: current().empty_cache(),
        "reset_peak_memory_stats": lambda device=None: current().reset_peaks(),
        "reset_max_memory_allocated": lambda device=None: current().reset_peaks(),
        "reset_max_memory_cached": lambda device=None: current().reset_peaks(),
        "reset_accumulated_memory_stats": lambda device=None: None,
        "set_per_process_memory_fraction": lambda fraction, device=None: None,
    }
    for name, function in functions.items():
        setattr(cuda, name, function)
        if hasattr(cuda.memory, name):
            setattr(cuda.memory, name, function)
