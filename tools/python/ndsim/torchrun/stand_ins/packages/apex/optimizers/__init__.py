"""Apex's fused optimizers."""

from ndsim.torchrun.stand_ins.optimizers import FusedAdam, FusedSGD

__all__ = ["FusedAdam", "FusedSGD"]
