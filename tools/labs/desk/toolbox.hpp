// The toolbox tells how to build and run learners' programs on this machine. It comes from share/ndsim/labs.toml, which
// the build of ndsim writes next to the folder of this executable, the single description of an installation's layout.
#pragma once

#include <string>
#include <vector>

namespace sim::labs {

struct Toolbox {
    std::string compiler;            // a command; empty: the installation has no C++ libraries to link
    std::vector<std::string> flags;  // to build an executable from one file
    std::string interpreter;
    std::string python_path;  // empty: the interpreter finds ndsim on its own
};

// Throws MachineLimit if the file is missing or incomplete.
Toolbox read_toolbox();

// Whether PyTorch labs can run, that is whether the interpreter finds PyTorch. Starts it, which takes a moment.
bool pytorch_is_here();

// Prepends ndsim to the PYTHONPATH of child processes, before any existing entries.
void let_python_find_ndsim(const Toolbox& toolbox);

}  // namespace sim::labs
