"""The layer norm whose kernel stays on the GPU's multiprocessors."""

from .layer_norm import FastLayerNorm, FastLayerNormFN

__all__ = ["FastLayerNorm", "FastLayerNormFN"]
