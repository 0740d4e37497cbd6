"""PyTorch on simulated GPUs: launch() runs a function as ranks, from a notebook or a program. docs/torch.md tells the story."""

from ..torchrun.function.caller import Run, launch

__all__ = ["Run", "launch"]
