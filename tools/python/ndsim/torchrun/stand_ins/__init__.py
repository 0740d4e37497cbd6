"""What a script imports or compiles and only a machine with GPUs could have: stand-ins that PyTorch computes.

`packages/` is the registry of imports: what lies there under its own name is what the script imports, whether the real package is
installed or not, with its version in an .egg-info folder where frameworks ask for it. `extensions/` has what frameworks would compile, by
the names that they give it. `kernels/` has what both launch: operators of the namespace ndsim, each of which is one kernel on the GPU
and has its price by its name (tools/torch/prices/names/stand_ins.cpp). Beside them lie layers and optimizers that several packages have;
`flex/` has flex attention, which is PyTorch's own and one kernel where it is compiled.
"""
