"""torch._C._cudnn of a build for CUDA, by which torch.backends.cudnn decides. ATen asks the slot itself."""

from __future__ import annotations

import enum
from types import ModuleType
from typing import Any


class RNNMode(enum.IntEnum):
    """As cuDNN numbers its recurrent layers."""

    rnn_relu = 0
    rnn_tanh = 1
    lstm = 2
    gru = 3


def module(version: int) -> Any:
    """Of a version as cudnnGetVersion gives it: 92000."""
    made = ModuleType("torch._C._cudnn")
    parts = (version // 10000, version // 100 % 100, version % 100)
    names = {
        "is_cuda": True,
        "RNNMode": RNNMode,
        "getVersionInt": lambda: version,
        "getRuntimeVersion": lambda: parts,
        "getCompileVersion": lambda: parts,
    }
    for name, value in names.items():
        setattr(made, name, value)
    return made
