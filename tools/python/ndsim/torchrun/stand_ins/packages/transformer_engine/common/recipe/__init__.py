"""Recipes: the FP8 formats of matmuls, and how their scales are determined."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any, NamedTuple


class _Formats(NamedTuple):
    max_fwd: float
    max_bwd: float


class Format(enum.Enum):
    """Largest values, forward and backward."""

    E2M1 = _Formats(6, 6)
    E4M3 = _Formats(448, 448)
    E5M2 = _Formats(57344, 57344)
    HYBRID = _Formats(448, 57344)


class _OverrideLinearPrecision(NamedTuple):
    """The matmuls of a layer that stay in high precision."""

    fprop: bool = False
    dgrad: bool = False
    wgrad: bool = False


@dataclasses.dataclass
class Recipe:
    """Settings of all recipes."""

    fp8_format: Format = Format.HYBRID

    def delayed(self) -> bool:
        return isinstance(self, DelayedScaling)

    def float8_current_scaling(self) -> bool:
        return isinstance(self, Float8CurrentScaling)

    def float8_per_tensor_scaling(self) -> bool:
        return isinstance(self, (DelayedScaling, Float8CurrentScaling))

    def float8_block_scaling(self) -> bool:
        return isinstance(self, Float8BlockScaling)

    def mxfp8(self) -> bool:
        return isinstance(self, MXFP8BlockScaling)

    def nvfp4(self) -> bool:
        return isinstance(self, NVFP4BlockScaling)

    def custom(self) -> bool:
        return isinstance(self, CustomRecipe)


@dataclasses.dataclass
class DelayedScaling(Recipe):
    """One scale per tensor, from its largest values in earlier steps."""

    margin: int = 0
    fp8_format: Format = Format.HYBRID
    amax_history_len: int = 1024
    amax_compute_algo: Any = "max"
    scaling_factor_compute_algo: Any = None
    override_linear_precision: Any = _OverrideLinearPrecision()
    reduce_amax: bool = True
    fp8_dpa: bool = False
    fp8_mha: bool = False
    interval: int = -1
    params_dtype: Any = None
    device: Any = None

    def __post_init__(self) -> None:
        self.override_linear_precision = _OverrideLinearPrecision(*self.override_linear_precision)


@dataclasses.dataclass
class Float8CurrentScaling(Recipe):
    """One scale per tensor, from its current largest value."""

    fp8_format: Format = Format.HYBRID
    fp8_dpa: bool = False
    fp8_mha: bool = False


@dataclasses.dataclass
class Float8BlockScaling(Recipe):
    """One scale per 128 values of a row, and per 128 x 128 block of a weight."""

    fp8_format: Format = Format.E4M3
    fp8_dpa: bool = False
    fp8_mha: bool = False


@dataclasses.dataclass
class MXFP8BlockScaling(Recipe):
    """One power-of-two scale per 32 values, for GPUs whose tensor cores support it."""

    margin: int = 0
    fp8_format: Format = Format.E4M3
    fp8_dpa: bool = False
    fp8_mha: bool = False


@dataclasses.dataclass
class NVFP4BlockScaling(Recipe):
    """Four-bit values."""

    fp4_format: Format = Format.E2M1
    fp8_format: Format = Format.E4M3


@dataclasses.dataclass
class CustomRecipe(Recipe):
    """The framework's own quantizers."""

    qfactory: Any = None
    fp8_dpa: bool = False
    fp8_mha: bool = False
