"""Processes that a rank forks, such as the workers of a DataLoader, are no ranks: they compute in real time.

They end with their rank, whatever ended it.
"""

from __future__ import annotations

import ctypes
import os
import signal
from typing import Any

from .. import rank as ranks
from .. import from_torch

PR_SET_PDEATHSIG = 1


def install(rank: ranks.Rank) -> Any:
    library = ctypes.CDLL(None)

    def be_no_rank() -> None:
        library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        ranks.leave()
        from_torch.leave_dispatch_modes()

    os.register_at_fork(after_in_child=be_no_rank)
