"""The location of Float8Tensor in earlier versions."""

from .tensor.quantized import Float8Tensor

__all__ = ["Float8Tensor"]
