"""Common base of the modules with weights: sharding over ranks, initialisation, and state in checkpoints."""

from __future__ import annotations

import contextlib
import enum
import io
import pickle
from collections.abc import Callable
from typing import Any

import torch
from ndsim.torchrun.stand_ins.refused import not_simulated

from ..distributed import get_distributed_world_size, set_tensor_model_parallel_attributes
from ..fp8 import FP8GlobalStateManager, Meta
from . import products

_dummies: dict[tuple[Any, ...], Any] = {}


class UserBufferQuantizationMode(enum.Enum):
    NONE = "none"
    FP8 = "fp8"


def initialize_ub(*given: Any, **settings: Any) -> None:
    not_simulated("transformer_engine's overlap of products and collectives (--tp-comm-overlap)", "leave it out")


def destroy_ub() -> None:
    pass


def get_dummy_wgrad(shape: list[int], dtype: torch.dtype, zero: bool = False) -> Any:
    """Placeholder for autograd when the gradient has been added to main_grad: one shared tensor per shape."""
    key = (*shape, dtype)
    if key not in _dummies:
        _dummies[key] = torch.empty(shape, dtype=dtype, device="cuda", requires_grad=False)
    if zero:
        _dummies[key].fill_(0)
    return _dummies[key].detach()


def default_init(weight: Any) -> Any:
    return torch.nn.init.normal_(weight, mean=0.0, std=0.023)


class TransformerEngineBaseModule(torch.nn.Module):
    """Base of modules whose weights have the layout of torch.nn.Linear, [out, in]."""

    def __init__(self) -> None:
        super().__init__()
        self.fp8_initialized = False
        self.fp8 = False
        self.fp8_calibration = False
        self.fp8_meta: dict[str, Any] = {"fp8_checkpoint": False, "recipe": None}
        self.fp8_meta_tensors_initialized = False
        self.tp_group: Any = None
        self.tp_size = 1
        self.sequence_parallel = False
        self.parallel_mode: str | None = None
        self.fuse_wgrad_accumulation = False
        self.save_original_input = False
        self.rng_tracker_name: str | None = None
        self.get_rng_state_tracker: Callable[[], Any] | None = None
        self._metas: dict[str, Meta] = {}
        self._casts: dict[Any, Any] = {}

    def be_parallel(
        self, mode: str | None, sequence_parallel: bool, group: Any, size: int, tracker: Any, tracker_name: str | None
    ) -> None:
        self.parallel_mode = mode
        self.tp_size = size if group is None else get_distributed_world_size(group)
        self.sequence_parallel = self.tp_size > 1 and sequence_parallel
        self.tp_group = group
        self.get_rng_state_tracker = tracker
        self.rng_tracker_name = tracker_name

    def set_tensor_parallel_group(self, tp_group: Any) -> None:
        self.tp_group = tp_group

    def refuse_options(self, settings: dict[str, Any]) -> None:
        """Refuse requested options that would change how a layer computes or communicates."""
        for name, value in settings.items():
            if value and (name.startswith("ub_") and name != "ub_name" or name in ("symmetric_ar_type", "delay_wgrad_compute")):
                not_simulated(f"transformer_engine's option {name}", "leave it out")

    def new_weight(self, name: str, rows: int, columns: int, dtype: Any, device: Any, init: Any, mode: str | None) -> None:
        weight = torch.nn.Parameter(torch.empty(rows, columns, dtype=dtype, device=device))
        self.register_parameter(name, weight)
        if weight.device.type != "meta":
            with torch.no_grad(), self.random_numbers():
                (init or default_init)(weight)
        set_tensor_model_parallel_attributes(weight, True, 1 if mode == "row" else 0, 1)

    def new_bias(self, name: str, rows: int, dtype: Any, device: Any, mode: str | None) -> None:
        bias = torch.nn.Parameter(torch.zeros(rows, dtype=dtype, device=device))
        self.register_parameter(name, bias)
        if mode == "row":
            setattr(bias, "sequence_parallel", self.sequence_parallel)  # noqa: B010
        elif mode == "column":
            set_tensor_model_parallel_attributes(bias, True, 0, 1)

    def random_numbers(self) -> Any:
        if self.get_rng_state_tracker is None:
            return contextlib.nullcontext()
        tracker = self.get_rng_state_tracker()
        return tracker.fork(self.rng_tracker_name) if self.rng_tracker_name else tracker.fork()

    def way(self, name: str, mode: str | None, is_first: bool | None = None) -> products.Way:
        """How to compute the matmul `name` now. `is_first`: first micro-batch of a step; None: cast weights every time."""
        self.fp8 = FP8GlobalStateManager.is_fp8_enabled()
        meta = None
        if self.fp8:
            self.fp8_meta["recipe"] = FP8GlobalStateManager.get_fp8_recipe()
            self.fp8_meta["fp8_checkpoint"] = True
            meta = FP8GlobalStateManager.meta_of(self._metas, name)
        if is_first:
            self._casts.clear()
        cut = self.tp_group, self.tp_size, self.sequence_parallel
        return products.Way(mode, *cut, self.fuse_wgrad_accumulation, meta, None if is_first is None else self._casts)

    def init_fp8_metadata(self, num_gemms: int = 1) -> None:
        self.fp8_meta["num_gemms"] = num_gemms

    def get_extra_state(self) -> torch.Tensor:
        """FP8 scales and histories; empty if there are none."""
        if not self._metas:
            return torch.empty(0, dtype=torch.uint8)
        state = {"recipe": self.fp8_meta["recipe"], "metas": {name: meta.state() for name, meta in self._metas.items()}}
        state["extra_fp8_variables"] = {}
        return torch.frombuffer(bytearray(pickle.dumps(state)), dtype=torch.uint8)

    def set_extra_state(self, state: Any) -> None:
        if state is None or (torch.is_tensor(state) and state.numel() == 0):
            return
        raw = state.detach().cpu().numpy().tobytes() if torch.is_tensor(state) else state.getvalue()
        for name, values in pickle.load(io.BytesIO(raw)).get("metas", {}).items():
            self._metas[name] = Meta.of_state(values)

    def backward_dw(self) -> None:
        pass


def activation_type(given: Any) -> torch.dtype:
    """The type in which a layer computes."""
    return torch.get_autocast_dtype("cuda") if torch.is_autocast_enabled("cuda") else given.dtype
