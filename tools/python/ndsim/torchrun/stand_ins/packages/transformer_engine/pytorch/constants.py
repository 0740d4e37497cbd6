"""Constants that frameworks look up."""

from __future__ import annotations

import torch

dist_group_type = torch.distributed.ProcessGroup
AttnMaskTypes = ("no_mask", "padding", "causal", "padding_causal", "causal_bottom_right", "padding_causal_bottom_right", "arbitrary")
AttnTypes = ("self", "cross")
GemmParallelModes = ("row", "column", None)
