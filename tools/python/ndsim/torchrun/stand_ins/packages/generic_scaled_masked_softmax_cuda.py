"""Apex's extension: softmax of scaled scores under a mask, for rows of any length."""

from __future__ import annotations

from typing import Any

from ndsim.torchrun.stand_ins.kernels import softmaxes


def forward(scores: Any, mask: Any, scale: Any) -> Any:
    return softmaxes.scaled_masked_softmax_fwd(scores, mask, float(scale))


def backward(grad: Any, shares: Any, scale: Any) -> Any:
    return softmaxes.scaled_softmax_bwd(grad, shares, float(scale))
