"""The error of a full GPU, in the words of the torch that runs the script: scripts catch it, and people search for it."""

from __future__ import annotations

import torch

from .totals import Totals


def _size(count: int) -> str:
    """As format_size in c10/cuda/CUDACachingAllocator.cpp."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count > unit:
            return f"{count / unit:.2f} {name}"
    return f"{count} bytes"


def _text_of_1(device: int, wanted: int, capacity: int, totals: Totals) -> str:
    return (
        f"CUDA out of memory. Tried to allocate {_size(wanted)} (GPU {device}; {_size(capacity)} total capacity; "
        f"{_size(totals.bytes)} already allocated; {_size(capacity - totals.reserved)} free; "
        f"{_size(totals.reserved)} reserved in total by PyTorch) If reserved memory is >> allocated memory try setting "
        "max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF"
    )


def _text_of_2(device: int, wanted: int, capacity: int, totals: Totals) -> str:
    return (
        f"CUDA out of memory. Tried to allocate {_size(wanted)}. GPU {device} has a total capacity of {_size(capacity)} "
        f"of which {_size(capacity - totals.reserved)} is free. Including non-PyTorch memory, this process has "
        f"{_size(totals.reserved)} memory in use. Of the allocated memory {_size(totals.bytes)} is allocated by PyTorch, "
        f"and {_size(totals.reserved - totals.bytes)} is reserved by PyTorch but unallocated. If reserved but unallocated "
        "memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See "
        "documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    )


def out_of_memory(
    device: int, wanted: int, capacity: int, totals: Totals, version: str = torch.__version__
) -> RuntimeError:
    """torch.cuda.OutOfMemoryError where torch has it (from 1.13 on)."""
    text = _text_of_1 if version.startswith("1.") else _text_of_2
    kind = getattr(torch.cuda, "OutOfMemoryError", RuntimeError)
    error: RuntimeError = kind(text(device, wanted, capacity, totals))
    return error
