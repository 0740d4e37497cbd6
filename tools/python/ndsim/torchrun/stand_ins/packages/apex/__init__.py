"""Apex: its optimizers, norms and kernels over lists, as far as frameworks that run today use them."""

from . import multi_tensor_apply, normalization, optimizers

__all__ = ["multi_tensor_apply", "normalization", "optimizers"]
