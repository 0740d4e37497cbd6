"""A rank of a script on PyTorch 2: its process sees the simulated GPUs, and reports at the end what they held and did."""

from __future__ import annotations

import importlib
from typing import Any

from .._errors import MachineLimit
from .._ndsim import ScriptLine, TorchGpus, torch_table
from ..torch import door
from ..torch.making.errors import CannotBuild
from . import rank as ranks
from . import refusals
from .launch import explain


def open_door(machine: str, *, hollow: bool) -> None:
    """Make this machine's GPUs the CUDA devices that torch sees, in the process that starts ranks.

    The first call must come before torch is imported; later, a forked process may switch to another machine.
    """
    table = torch_table(machine, hollow)
    try:
        if not door.is_open():
            door.open_door(table)
    except CannotBuild as reason:
        raise MachineLimit(str(reason)) from None


def refuse_other_threads(rank: ranks.Rank, operation: str) -> None:
    try:
        refusals.check_thread(operation)
    except refusals.Refused as refused:
        # PyTorch passes it on to the script as an exception of its own.
        rank.tell("refused", str(refused))
        raise


def most_of_any_device(torch: Any, what: str) -> int:
    """The peak of a caching-allocator counter on the device with the highest; 0 if the script used none."""
    devices = range(torch.cuda.device_count())
    return max((torch.cuda.memory_stats(device).get(f"{what}.all.peak", 0) for device in devices), default=0)


def has_used_gpus() -> bool:
    """Whether a tensor exists, or existed, on a simulated GPU of this process."""
    return most_of_any_device(importlib.import_module("torch"), "reserved_bytes") > 0


def most_allocated() -> int:
    """Peak bytes of tensors, on the device with the highest."""
    return most_of_any_device(importlib.import_module("torch"), "allocated_bytes")


def install(rank: ranks.Rank) -> None:
    options = rank.options
    torch: Any = importlib.import_module("torch")
    # A forked process re-creates PyTorch's thread pool. If several threads arrived at once, as in a backward pass on many
    # devices, they would find it half made.
    torch.set_num_threads(1)

    line_of_script = ScriptLine(thread=rank.thread, is_script=explain.is_script, line_of=explain.line_of)

    def where(operation: str) -> str:
        """Called whenever the rank may wait for others, and for each operation that others have to call, too."""
        line = line_of_script.now()
        if operation:
            refuse_other_threads(rank, operation)
            rank.place.call(f"{rank.label(operation)} ({line})" if line else rank.label(operation))
        else:
            rank.place.is_at(line)
        return line

    rank.gpus = TorchGpus(
        rank.gpu,
        machine=options.machine,
        home=rank.local_rank,
        flash_version=options.flash_attention,
        launch_microseconds=options.launch_microseconds,
        compiled=options.compiled,
        running=list(rank.fold.running) if rank.fold.is_folded else [],
        acting=rank.fold.acting if rank.fold.is_folded else [],
        where=where,
        line=line_of_script,
        went_on=rank.place.go_on,
    )


def tell(rank: ranks.Rank) -> None:
    gpus = rank.gpus
    assert gpus is not None
    gpus.synchronize()
    torch: Any = importlib.import_module("torch")
    rank.tell("memory", [most_of_any_device(torch, what) for what in ("allocated_bytes", "reserved_bytes")])
    if rank.options.explain_cost and rank.gpu.rank == rank.fold.running[0]:
        rank.tell("operators", gpus.operators())
        rank.tell("operators for people", gpus.operators_text())
