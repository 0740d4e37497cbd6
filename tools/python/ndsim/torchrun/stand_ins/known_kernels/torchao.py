"""torchao's expert kernel, which is torchtitan's."""

from .torchtitan import fill_indices

KERNELS = {"torchao.prototype.moe_training.ep.kernels._fill_indices_kernel": fill_indices}
