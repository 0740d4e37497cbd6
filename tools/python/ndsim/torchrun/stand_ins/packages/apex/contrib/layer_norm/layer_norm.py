"""The layer norm with a persistent kernel, as a function and as a module."""

from __future__ import annotations

from typing import Any

import torch
from ndsim.torchrun.stand_ins.norms import layer_norm


class FastLayerNormFN(torch.autograd.Function):
    """Called as FastLayerNormFN.apply."""

    @staticmethod
    def forward(ctx: Any, x: Any, gamma: Any, beta: Any, epsilon: float, memory_efficient: bool = False) -> Any:
        raise NotImplementedError

    @classmethod
    def apply(cls, x: Any, gamma: Any, beta: Any, epsilon: float, memory_efficient: bool = False) -> Any:
        return layer_norm(x, gamma, beta, epsilon)


class FastLayerNorm(torch.nn.Module):
    """A layer norm over the last dimension."""

    def __init__(self, hidden_size: int, eps: float = 1e-5, memory_efficient: bool = False) -> None:
        super().__init__()
        self.epsilon = eps
        self.weight = torch.nn.Parameter(torch.ones(hidden_size))
        self.bias = torch.nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x: Any) -> Any:
        return layer_norm(x, self.weight, self.bias, self.epsilon)
