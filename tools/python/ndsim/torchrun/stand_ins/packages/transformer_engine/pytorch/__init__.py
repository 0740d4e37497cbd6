"""TransformerEngine's modules and functions for PyTorch."""

from . import distributed, fp8, module, ops, optimizers, tensor
from .attention import DotProductAttention
from .distributed import CudaRNGStatesTracker, checkpoint
from .fp8 import autocast, fp8_autocast, fp8_model_init, is_bf16_available, is_fp8_available, quantized_model_init
from .module import (
    Fp8Padding,
    Fp8Unpadding,
    GroupedLinear,
    LayerNorm,
    LayerNormLinear,
    LayerNormMLP,
    Linear,
    RMSNorm,
)
from .permutation import moe_permute, moe_permute_with_probs, moe_sort_chunks_by_index, moe_unpermute

__all__ = [
    "CudaRNGStatesTracker",
    "DotProductAttention",
    "Fp8Padding",
    "Fp8Unpadding",
    "GroupedLinear",
    "LayerNorm",
    "LayerNormLinear",
    "LayerNormMLP",
    "Linear",
    "RMSNorm",
    "autocast",
    "checkpoint",
    "distributed",
    "fp8",
    "fp8_autocast",
    "fp8_model_init",
    "is_bf16_available",
    "is_fp8_available",
    "module",
    "moe_permute",
    "moe_permute_with_probs",
    "moe_sort_chunks_by_index",
    "moe_unpermute",
    "ops",
    "optimizers",
    "quantized_model_init",
    "tensor",
]
