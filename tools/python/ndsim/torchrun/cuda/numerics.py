"""autocast("cuda") and GradScaler.

The arithmetic of autocast is that of PyTorch's autocast for CPUs, with its choice of operators, in bfloat16: for
autocast(dtype=torch.float16), too, as the CPU has no other. GradScaler works as it is on the operators of gpu/fused.py.
"""

from __future__ import annotations

from typing import Any

import torch


def install(rank: Any) -> None:
    """Let what switches autocast for CUDA switch it for the operators that run."""
    set_enabled = torch.set_autocast_enabled

    def set_autocast_enabled(enabled: bool) -> None:
        set_enabled(enabled)
        if enabled:
            torch.set_autocast_cpu_dtype(torch.bfloat16)
        torch.set_autocast_cpu_enabled(enabled)

    torch.set_autocast_enabled = set_autocast_enabled
    torch.cuda.amp.common.amp_definitely_not_available = lambda: False
    torch.cuda.amp.grad_scaler.amp_definitely_not_available = lambda: False
