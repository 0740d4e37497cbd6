"""Classes of FP8 tensors, without instances: fp8_model_init is refused."""

from __future__ import annotations

import torch


class QuantizedTensor(torch.Tensor):
    """A tensor stored in fewer bits than its nominal type."""


class Float8Tensor(QuantizedTensor):
    """A tensor with one scale."""


class MXFP8Tensor(QuantizedTensor):
    """A tensor with a scale per 32 values."""
