"""Gives a CPU build of PyTorch the names that torch._C has in a CUDA build.

torch.cuda is not changed: it uses these names at import to decide whether it was built with CUDA. Everything below them (devices,
streams, memory) belongs to the slot.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import cudnn

CUDA_VERSION = "12.8"
NCCL_VERSION = (2, 28, 3)
COMPILED_VERSION = 12080
ARCHITECTURES = "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"  # those of every GPU that ndsim knows
WARP = 32
BENCHMARKED = 10  # the default number of cuDNN algorithms to benchmark
NCCL_TIMEOUT = datetime.timedelta(minutes=10)


def properties_class(slot: ModuleType) -> type:
    class DeviceProperties:
        """The result type of torch.cuda.get_device_properties."""

        warp_size = WARP
        regs_per_multiprocessor = 65536
        max_threads_per_multi_processor = 2048
        max_threads_per_block = 1024
        shared_memory_per_block = 49152
        shared_memory_per_block_optin = 232448
        is_integrated = 0
        is_multi_gpu_board = 0
        pci_domain_id = 0

        def __init__(self, device: int) -> None:
            self.__dict__.update(slot.properties(device))
            self.gcnArchName = self.name  # noqa: N815
            self.pci_bus_id = self.pci_device_id = device

        def __repr__(self) -> str:
            return (
                f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
                f"total_memory={self.total_memory >> 20}MB, multi_processor_count={self.multi_processor_count})"
            )

    return DeviceProperties


def stream_class(base: Any, slot: ModuleType) -> type:
    class Stream(base):  # type: ignore[misc]
        """The base class of torch.cuda.Stream."""

        def __new__(
            cls,
            priority: int = 0,
            stream_id: int = 0,
            device_index: int = 0,
            device_type: int = 0,
            stream_ptr: int = 0,
            **_: Any,
        ) -> Any:
            if device_type:
                return super().__new__(cls, stream_id=stream_id, device_index=device_index, device_type=device_type)
            device = sys.modules["torch"].device("cuda", slot.device())
            made = super().__new__(cls, device=device, priority=priority)
            made.priority_asked = priority
            return made

        priority_asked = 0

        @property
        def cuda_stream(self) -> int:
            return int(self.stream_id)

        @property
        def priority(self) -> int:
            return self.priority_asked

        @staticmethod
        def priority_range() -> tuple[int, int]:
            return (0, -5)

    return Stream


def event_class(base: Any, slot: ModuleType) -> type:
    class Event(base):  # type: ignore[misc]
        """The base class of torch.cuda.Event."""

        def __new__(
            cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
        ) -> Any:
            if interprocess:
                raise NotImplementedError("ndsim does not simulate events between processes")
            device = sys.modules["torch"].device("cuda", slot.device())
            made = super().__new__(cls, device=device, enable_timing=enable_timing)
            made.is_timed = enable_timing
            return made

        is_timed = False

        @property
        def cuda_event(self) -> int:
            return int(self.event_id)

        def elapsed_time(self, end: Any) -> float:
            # torch.Event's own method rejects derived classes.
            if not (self.is_timed and end.is_timed):
                raise ValueError("Both events must be created with argument 'enable_timing=True'.")
            if not self.event_id or not end.event_id:
                raise ValueError("Both events must be recorded before calculating elapsed time.")
            return float(slot.elapsed_milliseconds(self.event_id, end.event_id))

    return Event


def runtime_class(slot: ModuleType) -> type:
    class Runtime:
        """The result of torch.cuda.cudart()."""

        class cudaError:  # noqa: N801
            success = 0

        cudaGetErrorString = staticmethod(lambda code: "no error" if code == 0 else f"error {code}")  # noqa: N815
        cudaProfilerStart = staticmethod(lambda: 0)  # noqa: N815
        cudaProfilerStop = staticmethod(lambda: 0)  # noqa: N815
        cudaMemGetInfo = staticmethod(lambda device: slot.memory_info(device))  # noqa: N815
        cudaHostRegister = staticmethod(lambda address, size, flags: slot.register_host(address, size))  # noqa: N815
        cudaHostUnregister = staticmethod(lambda address: slot.unregister_host(address))  # noqa: N815

    return Runtime


def names_of_torch(torch_c: Any, slot: ModuleType) -> dict[str, Any]:
    """The names, each with its own object: dynamo tells them apart by identity."""
    properties = properties_class(slot)

    def begin() -> None:
        slot.initialize()
        cuda = sys.modules["torch.cuda"]
        cuda.default_generators = tuple(  # type: ignore[attr-defined]
            slot.default_generator(device) for device in range(slot.device_count())
        )

    def nothing() -> Callable[..., None]:
        return lambda *_, **__: None

    def known(value: Any) -> Callable[..., Any]:
        return lambda *_, **__: value

    return {
        "_has_cuda": True,
        "_has_cudnn": True,
        "_cudnn": cudnn.module(slot.cudnn_version),
        "_cuda_get_cudnn_benchmark_limit": known(BENCHMARKED),
        "_cuda_set_cudnn_benchmark_limit": nothing(),
        "_is_flash_attention_available": known(True),
        "_can_use_flash_attention": lambda params, debug=False: slot.can_use_flash_attention(params, debug),
        "_can_use_mem_efficient_attention": lambda params, debug=False: slot.can_use_mem_efficient_attention(params, debug),
        "_can_use_cudnn_attention": lambda params, debug=False: slot.can_use_cudnn_attention(params, debug),
        "_CudaStreamBase": stream_class(torch_c.Stream, slot),
        "_CudaEventBase": event_class(torch_c.Event, slot),
        "_CudaDeviceProperties": properties,
        "_CUDAGraph": slot.CUDAGraph,
        "_graph_pool_handle": lambda: slot.new_pool(),
        "_cudart": runtime_class(slot),
        "_cuda_init": begin,
        "_cuda_isInBadFork": known(False),
        "_cuda_getDeviceCount": lambda: slot.device_count(),
        "_cuda_getDevice": lambda: slot.device(),
        "_cuda_setDevice": lambda device: slot.set_device(device),
        "_cuda_exchangeDevice": lambda device: slot.exchange_device(device),
        "_cuda_maybeExchangeDevice": lambda device: slot.exchange_device(device),
        "_cuda_get_device_properties": lambda device: properties(device),
        "_cuda_synchronize": lambda: slot.synchronize(),
        "_cuda_getCurrentStream": lambda device: slot.current_stream(device),
        "_cuda_getDefaultStream": lambda device: (0, device, 1),
        "_cuda_getCurrentRawStream": lambda device: slot.current_stream(device)[0],
        "_cuda_setStream": lambda stream_id, device_index, device_type: slot.set_stream(
            stream_id, device_index, device_type
        ),
        "_cuda_isCurrentStreamCapturing": lambda: slot.is_capturing(),
        "_cuda_memoryStats": lambda device: slot.memory_statistics(device),
        "_cuda_hostMemoryStats": known({}),
        "_host_emptyCache": nothing(),
        "_cuda_resetPeakMemoryStats": lambda device: slot.reset_peak_statistics(device),
        "_cuda_resetAccumulatedMemoryStats": lambda device: slot.reset_accumulated_statistics(device),
        "_cuda_emptyCache": lambda *_: slot.empty_cache(),
        "_cuda_memorySnapshot": known({"segments": [], "device_traces": []}),
        "_cuda_record_memory_history": nothing(),
        "_cuda_getAllocatorBackend": known("native"),
        "_cuda_setMemoryFraction": lambda fraction, device: slot.limit_memory(fraction, device),
        "_cuda_getMemoryFraction": lambda device: slot.memory_fraction(device),
        # The setting's name up to PyTorch 2.9, and its name since.
        "_cuda_cudaCachingAllocator_set_allocator_settings": lambda text: slot.change_memory_settings(text),
        "_accelerator_setAllocatorSettings": lambda text: slot.change_memory_settings(text),
        "_cuda_canDeviceAccessPeer": known(True),
        "_cuda_getArchFlags": known(ARCHITECTURES),
        "_cuda_getCompiledVersion": known(COMPILED_VERSION),
        "_cuda_getDriverVersion": known(COMPILED_VERSION),
        "_cuda_get_sync_debug_mode": known(0),
        "_cuda_set_sync_debug_mode": nothing(),
        "_cuda_sleep": lambda cycles: slot.sleep(cycles),
        "_cuda_ipc_collect": nothing(),
        "_cuda_getCurrentBlasHandle": known(0),
        "_cuda_clearCublasWorkspaces": nothing(),
        "_cuda_lock_mutex": nothing(),
        "_cuda_unlock_mutex": nothing(),
        "_nccl_version": known((NCCL_VERSION[0] << 32) | (NCCL_VERSION[1] << 16) | NCCL_VERSION[2]),
        "_nccl_version_suffix": known(b""),
    }


def fill(torch_c: Any, slot: ModuleType) -> None:
    """Call it before torch.cuda is imported."""
    for name, value in names_of_torch(torch_c, slot).items():
        setattr(torch_c, name, value)


def finish(torch: Any, slot: ModuleType) -> None:
    """Call it once torch is imported: replaces what C++ fixed at build time and Python can override."""
    torch.version.cuda = CUDA_VERSION
    torch.cuda._get_device_properties = lambda device: torch._C._CudaDeviceProperties(device)
    replace_storages(torch, slot)
    replace_data_parallel(torch)
    profile_cuda(torch)


def profile_cuda(torch: Any) -> None:
    """Let Kineto record kernels (kineto.cpp), whatever it was built with."""
    supported = torch.autograd._supported_activities() | {torch._C._profiler.ProfilerActivity.CUDA}
    for module in (torch.autograd, torch.autograd.profiler):
        module._supported_activities = lambda: supported


def replace_storages(torch: Any, slot: ModuleType) -> None:
    resize = torch.UntypedStorage.resize_
    make = torch.UntypedStorage.__new__

    def resized(self: Any, size: int) -> Any:
        if self.device.type != "cuda":
            return resize(self, size)
        slot.resize_storage(self._cdata, size)
        return self

    def made(cls: type, *args: Any, device: Any = None, **others: Any) -> Any:
        if device is None or torch.device(device).type != "cuda":
            return make(cls, *args, **({} if device is None else {"device": device}), **others)
        size = args[0] if args else others.get("size", 0)
        return torch.empty(size, dtype=torch.uint8, device=device).untyped_storage()

    torch.UntypedStorage.resize_ = resized
    torch.UntypedStorage.__new__ = made


def replace_data_parallel(torch: Any) -> None:
    """Implements the functions of csrc/cuda/comm.cpp."""

    def place(device: int) -> Any:
        return torch.device("cpu") if device == -1 else torch.device("cuda", device)

    def scatter(tensor: Any, devices: Any, chunk_sizes: Any, dim: int, streams: Any) -> list[Any]:
        parts = tensor.split(list(chunk_sizes), dim) if chunk_sizes else tensor.chunk(len(devices), dim)
        return [part.to(place(device), non_blocking=True) for part, device in zip(parts, devices)]

    def gather(tensors: Any, dim: int, destination: int | None) -> Any:
        return torch.cat([tensor.to(place(destination or 0)) for tensor in tensors], dim)

    def broadcast(tensor: Any, devices: Any) -> list[Any]:
        return [tensor.to(place(device), non_blocking=True) for device in devices]

    torch._C._scatter = scatter
    torch._C._gather = gather
    torch._C._broadcast = broadcast
    torch._C._broadcast_coalesced = lambda tensors, devices, size: [
        [tensor.to(place(device), non_blocking=True) for tensor in tensors] for device in devices
    ]
