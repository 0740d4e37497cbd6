"""Where TransformerEngine has MXFP8Tensor."""

from .quantized import MXFP8Tensor

__all__ = ["MXFP8Tensor"]
