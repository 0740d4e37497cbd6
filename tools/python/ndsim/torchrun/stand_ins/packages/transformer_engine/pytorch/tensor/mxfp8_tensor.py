"""The location of MXFP8Tensor in TransformerEngine."""

from .quantized import MXFP8Tensor

__all__ = ["MXFP8Tensor"]
