"""The result of triton.jit."""

from ndsim.torchrun.stand_ins.triton_kernels import Kernel as JITFunction
from ndsim.torchrun.stand_ins.triton_kernels import jit as jit

KernelInterface = JITFunction
