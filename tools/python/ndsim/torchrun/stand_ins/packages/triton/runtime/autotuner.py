"""What triton.autotune and triton.heuristics make of a kernel: the kernel."""

from ndsim.torchrun.stand_ins.triton_kernels import same_kernel


class Autotuner:
    """No kernel is one."""


class Heuristics:
    """No kernel is one."""


autotune = heuristics = same_kernel
