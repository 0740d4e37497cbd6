"""Controls which layers compute in FP8 and by which recipe, and keeps the scales from step to step."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from ndsim.torchrun.stand_ins.kernels import fp8 as kernels
from ndsim.torchrun.stand_ins.refused import not_simulated

from ..common.recipe import DelayedScaling, Format, MXFP8BlockScaling, NVFP4BlockScaling, Recipe

INPUT, WEIGHT, GRADIENT = range(3)  # the tensors of a layer that are cast


def is_fp8_available(return_reason: bool = False) -> Any:
    able = torch.cuda.get_device_capability() >= (8, 9)
    reason = "" if able else "Device compute capability 8.9 or higher required for FP8 execution."
    return (able, reason) if return_reason else able


def check_fp8_support() -> tuple[bool, str]:
    return is_fp8_available(return_reason=True)


def is_bf16_available(return_reason: bool = False) -> Any:
    able = torch.cuda.get_device_capability() >= (8, 0)
    return (able, "" if able else "Device compute capability 8.0 or higher required for BF16.") if return_reason else able


def get_default_fp8_recipe() -> Recipe:
    return DelayedScaling()


def check_recipe(recipe: Recipe) -> None:
    able, reason = check_fp8_support()
    if not able:
        raise AssertionError(reason)
    if isinstance(recipe, NVFP4BlockScaling) or recipe.custom():
        not_simulated(f"transformer_engine's recipe {type(recipe).__name__}", "take one of the recipes for fp8")
    if isinstance(recipe, MXFP8BlockScaling) and torch.cuda.get_device_capability() < (10, 0):
        raise AssertionError("Device compute capability 10.0 or higher required for MXFP8 execution.")
    if getattr(recipe, "fp8_dpa", False) or getattr(recipe, "fp8_mha", False):
        not_simulated("transformer_engine's attention in fp8", "leave attention in bf16")


@dataclasses.dataclass
class Meta:
    """Delayed scaling's state for one matmul of a layer: the scales of its three tensors."""

    scales: Any  # [3]
    histories: Any  # [steps, 3]
    amaxes: Any  # [3], of this step
    wide: Any  # 1 for e5m2

    @classmethod
    def of(cls, recipe: DelayedScaling) -> Meta:
        wide = [float(is_wide(recipe, of)) for of in (INPUT, WEIGHT, GRADIENT)]
        return cls(
            torch.ones(3, device="cuda"),
            torch.zeros(recipe.amax_history_len, 3, device="cuda"),
            torch.zeros(3, device="cuda"),
            torch.tensor(wide).cuda(),
        )

    def state(self) -> dict[str, Any]:
        return {name: value.cpu() for name, value in vars(self).items()}

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> Meta:
        return cls(**{name: value.cuda() for name, value in state.items()})


def is_wide(recipe: Recipe, of: int) -> bool:
    """Whether the tensor is e5m2."""
    return recipe.fp8_format is Format.E5M2 or (of == GRADIENT and recipe.fp8_format is Format.HYBRID)


class FP8GlobalStateManager:
    """Settings for the layers called now."""

    FP8_ENABLED = False
    FP8_CALIBRATION = False
    FP8_RECIPE: Any = None
    FP8_DISTRIBUTED_GROUP: Any = None
    IS_FIRST_FP8_MODULE = False
    FP8_GRAPH_CAPTURING = False
    FP8_AUTOCAST_DEPTH = 0
    used: list[tuple[Meta, DelayedScaling, Any]] = []  # since the last update

    @classmethod
    def reset(cls) -> None:
        cls.FP8_ENABLED = False
        cls.FP8_RECIPE = None
        cls.used = []

    @classmethod
    def is_fp8_enabled(cls) -> bool:
        return cls.FP8_ENABLED

    @classmethod
    def is_fp8_calibration(cls) -> bool:
        return cls.FP8_CALIBRATION

    @classmethod
    def with_fp8_parameters(cls) -> bool:
        return False

    @classmethod
    def fp8_graph_capturing(cls) -> bool:
        return cls.FP8_GRAPH_CAPTURING

    @classmethod
    def is_first_fp8_module(cls) -> bool:
        first = cls.IS_FIRST_FP8_MODULE
        cls.IS_FIRST_FP8_MODULE = False
        return first

    @classmethod
    def get_fp8_recipe(cls) -> Any:
        return cls.FP8_RECIPE if cls.FP8_RECIPE is not None else get_default_fp8_recipe()

    @classmethod
    def get_fp8_group(cls) -> Any:
        return cls.FP8_DISTRIBUTED_GROUP

    @classmethod
    def get_autocast_state(cls) -> tuple[Any, ...]:
        return cls.FP8_ENABLED, cls.FP8_CALIBRATION, cls.FP8_RECIPE, cls.FP8_DISTRIBUTED_GROUP

    @classmethod
    def set_autocast_state(cls, state: tuple[Any, ...]) -> None:
        cls.FP8_ENABLED, cls.FP8_CALIBRATION, cls.FP8_RECIPE, cls.FP8_DISTRIBUTED_GROUP = state

    get_fp8_autocast_state = get_autocast_state
    set_fp8_autocast_state = set_autocast_state

    @classmethod
    def meta_of(cls, metas: dict[str, Meta], name: str) -> Any:
        """The scales of a layer's matmul, and the recipe; for recipes that scale by the current values, only the recipe."""
        recipe = cls.get_fp8_recipe()
        if not isinstance(recipe, DelayedScaling):
            return None, recipe
        if name not in metas:
            metas[name] = Meta.of(recipe)
        if all(metas[name] is not meta for meta, _, _ in cls.used):
            cls.used.append((metas[name], recipe, cls.FP8_DISTRIBUTED_GROUP))
        return metas[name], recipe

    @classmethod
    def update(cls) -> None:
        """Compute the next scales from the amaxes of all layers on all ranks."""
        used, cls.used = cls.used, []
        if not used:
            return
        recipe, group = used[0][1:]
        all_amaxes = torch.cat([meta.amaxes for meta, _, _ in used])
        if recipe.reduce_amax and group is not None and dist.get_world_size(group) > 1:
            dist.all_reduce(all_amaxes, op=dist.ReduceOp.MAX, group=group)
        for i, (meta, _, _) in enumerate(used):
            amaxes = all_amaxes[3 * i : 3 * i + 3]
            latest = recipe.amax_compute_algo == "most_recent"
            kernels.fp8_update_scales(amaxes, meta.histories, meta.scales, meta.wide, float(recipe.margin), latest)


@contextlib.contextmanager
def fp8_autocast(
    enabled: bool = True, calibrating: bool = False, fp8_recipe: Any = None, fp8_group: Any = None, _graph: bool = False
) -> Iterator[None]:
    """Layers called inside compute in FP8."""
    manager = FP8GlobalStateManager
    before = manager.get_autocast_state()
    recipe = get_default_fp8_recipe() if fp8_recipe is None else fp8_recipe
    if enabled:
        check_recipe(recipe)
        # Takes in the amaxes of earlier steps, including backward passes.
        if manager.FP8_AUTOCAST_DEPTH == 0 and torch.is_grad_enabled() and recipe.delayed():
            manager.update()
    manager.set_autocast_state((enabled, calibrating, recipe, fp8_group))
    manager.FP8_AUTOCAST_DEPTH += 1
    try:
        yield
    finally:
        manager.FP8_AUTOCAST_DEPTH -= 1
        manager.set_autocast_state(before)


def autocast(
    enabled: bool = True, calibrating: bool = False, recipe: Any = None, amax_reduction_group: Any = None, _graph: bool = False
) -> Any:
    return fp8_autocast(enabled, calibrating, recipe, amax_reduction_group, _graph)


@contextlib.contextmanager
def fp8_model_init(
    enabled: bool = True, recipe: Any = None, preserve_high_precision_init_val: bool = False
) -> Iterator[None]:
    if enabled:
        not_simulated("transformer_engine.pytorch.fp8_model_init", "keep parameters in bf16; products are in fp8 by fp8_autocast")
    yield


quantized_model_init = fp8_model_init
