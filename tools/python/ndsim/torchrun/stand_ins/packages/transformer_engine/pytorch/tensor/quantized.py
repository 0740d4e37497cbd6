"""Their classes, of which there are no objects: fp8_model_init is refused."""

from __future__ import annotations

import torch


class QuantizedTensor(torch.Tensor):
    """A tensor in fewer bits than its type says."""


class Float8Tensor(QuantizedTensor):
    """With one scale."""


class MXFP8Tensor(QuantizedTensor):
    """With a scale for each 32 numbers."""
