"""DeepSpeed's expert kernel, which is torchtitan's."""

from .torchtitan import fill_indices

KERNELS = {"deepspeed.moe.ep_kernels._fill_indices_kernel": fill_indices}
