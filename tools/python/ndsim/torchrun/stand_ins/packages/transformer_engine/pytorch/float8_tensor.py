"""Where earlier versions had Float8Tensor."""

from .tensor.quantized import Float8Tensor

__all__ = ["Float8Tensor"]
