"""The devices of torch.cuda: which there are, which is current, and what they are like."""

from __future__ import annotations

import types
from typing import Any

import torch

# What CUDA calls a generation: its compute capability.
CAPABILITIES = {
    "volta": (7, 0),
    "turing": (7, 5),
    "ampere": (8, 0),
    "ada": (8, 9),
    "hopper": (9, 0),
    "blackwell": (10, 0),
    "blackwell-ultra": (10, 3),
}


def describe(facts: dict[str, Any]) -> None:
    """Let torch.cuda say what the GPUs of the machine are."""
    accelerator = facts["accelerator"]
    major, minor = CAPABILITIES.get(accelerator["generation"], (9, 0))
    properties = types.SimpleNamespace(
        name=accelerator["name"],
        major=major,
        minor=minor,
        total_memory=int(accelerator["memory_bytes"]),
        multi_processor_count=int(accelerator["processors"]),
        is_integrated=0,
        is_multi_gpu_board=0,
        warp_size=32,
    )
    cuda = torch.cuda
    cuda.get_device_name = lambda device=None: properties.name
    cuda.get_device_capability = lambda device=None: (major, minor)
    cuda.get_device_properties = lambda device=None: properties
    cuda.is_bf16_supported = lambda *arguments: accelerator["bf16_flops"] > 0
    cuda.can_device_access_peer = lambda device, peer: device != peer
    cuda.get_arch_list = lambda: [f"sm_{major}{minor}"]
    cuda.is_initialized = lambda: True
    cuda.init = cuda._lazy_init = lambda: None
    torch.version.cuda = "11.8"


def index_of(device: Any) -> int | None:
    """The index of a device as scripts name it: 1, "cuda:1", torch.device; None: the current one."""
    if device is None:
        return None
    if isinstance(device, int):
        return device if device >= 0 else None
    found = torch.device(device)
    if found.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {device}")
    return found.index


def install(rank: Any) -> None:
    """Let torch.cuda say which device is current."""
    cuda = torch.cuda
    current = [0]

    def set_device(device: Any) -> None:
        index = index_of(device)
        if index is None:
            return
        if index >= cuda.device_count():
            raise RuntimeError(
                f"CUDA error: invalid device ordinal: cuda:{index}; a node of {rank.machine.name} has "
                f"{cuda.device_count()} GPUs"
            )
        rank.storages.begin_devices()
        current[0] = index

    class Device:
        """torch.cuda.device: the device that is current in a block."""

        def __init__(self, device: Any) -> None:
            self.idx = index_of(device)

        def __enter__(self) -> None:
            self._before = current[0]
            if self.idx is not None:
                current[0] = self.idx

        def __exit__(self, *error: object) -> None:
            current[0] = self._before

    class DeviceOf(Device):
        """torch.cuda.device_of: the device of a tensor."""

        def __init__(self, tensor: Any) -> None:
            super().__init__(tensor.get_device() if tensor.is_cuda else None)

    cuda.set_device = set_device
    cuda.current_device = lambda: current[0]
    cuda.device = Device  # type: ignore[misc, assignment]
    cuda.device_of = DeviceOf  # type: ignore[misc, assignment]
    cuda.synchronize = lambda device=None: rank.streams.synchronize_all()
    cuda.ipc_collect = lambda: None
    cuda.is_current_stream_capturing = cuda.graphs.is_current_stream_capturing = lambda: False
    cuda.utilization = lambda device=None: 100
    # One generator makes the random numbers of both kinds of device: a script draws the same as on CPUs.
    for module in (cuda, cuda.random):
        module.manual_seed = module.manual_seed_all = lambda seed: None
        module.seed = module.seed_all = lambda: None
        module.initial_seed = torch.initial_seed
        module.get_rng_state = lambda device="cuda": torch.get_rng_state()
        module.set_rng_state = lambda state, device="cuda": torch.set_rng_state(state)
        module.get_rng_state_all = lambda: [torch.get_rng_state()]
        module.set_rng_state_all = lambda states: torch.set_rng_state(states[0]) if states else None
