"""Stand-ins, computed by PyTorch, for packages that a script imports or compiles and that need a machine with GPUs.

`packages/` is the registry of imports: the script imports what is there under its own name, whether the real package is installed
or not; an .egg-info folder has its version if frameworks ask for one. `extensions/` has the extensions that frameworks would
compile, under the names that frameworks give them. `kernels/` has what both launch: operators of the namespace ndsim, each of
which is one kernel on the GPU and is priced by name (tools/torch/prices/names/stand_ins.cpp). Next to them are layers and
optimizers that several packages share; `flex/` has PyTorch's own flex attention, which is one kernel when compiled.
"""
