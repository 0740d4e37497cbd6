"""Apex: its optimizers, norms and list kernels, as far as current frameworks use them."""

from . import multi_tensor_apply, normalization, optimizers

__all__ = ["multi_tensor_apply", "normalization", "optimizers"]
