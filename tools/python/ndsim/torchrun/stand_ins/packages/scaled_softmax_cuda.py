"""Apex's extension: softmax of scaled scores."""

from __future__ import annotations

from typing import Any

from ndsim.torchrun.stand_ins.kernels import softmaxes


def forward(scores: Any, scale: Any) -> Any:
    return softmaxes.scaled_softmax_fwd(scores, float(scale))


def backward(grad: Any, shares: Any, scale: Any) -> Any:
    return softmaxes.scaled_softmax_bwd(grad, shares, float(scale))
