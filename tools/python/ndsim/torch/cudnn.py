"""torch._C._cudnn of a CUDA build, which torch.backends.cudnn consults. ATen asks the slot itself."""

from __future__ import annotations

import enum
from types import ModuleType
from typing import Any


class RNNMode(enum.IntEnum):
    """Recurrent layers by cuDNN's numbers."""

    rnn_relu = 0
    rnn_tanh = 1
    lstm = 2
    gru = 3


def module(version: int) -> Any:
    """The module for a version in the format of cudnnGetVersion: 92000."""
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
