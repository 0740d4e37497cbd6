"""FP8 tensor classes that frameworks check for: no tensor is an instance, because parameters stay in higher precision."""

from .quantized import Float8Tensor, MXFP8Tensor, QuantizedTensor

__all__ = ["Float8Tensor", "MXFP8Tensor", "QuantizedTensor"]
