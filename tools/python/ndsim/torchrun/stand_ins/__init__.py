"""What a script imports and only a machine with GPUs could have: packages of kernels, as stand-ins that are computed by PyTorch.

`packages/` is the registry: what lies there under its own name is what the script imports, whether the real package is installed or
not, with its version in a .dist-info folder where frameworks ask for it. `kernels/` has what these packages launch: operators of the
namespace ndsim, each of which is one kernel on the GPU and has its price by its name (tools/torch/prices/names/stand_ins.cpp).
"""
