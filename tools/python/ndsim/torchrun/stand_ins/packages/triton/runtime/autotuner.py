"""The results of triton.autotune and triton.heuristics: here just the kernel."""

from ndsim.torchrun.stand_ins.triton_kernels import same_kernel


class Autotuner:
    """No kernel is an instance."""


class Heuristics:
    """No kernel is an instance."""


autotune = heuristics = same_kernel
