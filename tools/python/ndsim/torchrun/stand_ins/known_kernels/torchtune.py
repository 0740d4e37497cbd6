"""torchtune's expert kernel, which is torchtitan's."""

from .torchtitan import fill_indices

KERNELS = {"torchtune.modules.moe.indices._fill_indices_kernel": fill_indices}
