"""Apex's optimizers that are one kernel over all parameters."""

from ndsim.torchrun.stand_ins.optimizers import FusedAdam, FusedSGD

__all__ = ["FusedAdam", "FusedSGD"]
