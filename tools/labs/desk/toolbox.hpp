// The toolbox tells how learners' programs are built and run here: share/ndsim/labs.toml, which the build of ndsim
// writes, beside the folder of this executable. It is the one place that says where an installation has its parts.
#pragma once

#include <string>
#include <vector>

namespace sim::labs {

struct Toolbox {
    std::string compiler;            // a command; empty: this installation has nothing that a program in C++ would link
    std::vector<std::string> flags;  // for one file to an executable
    std::string interpreter;
    std::string python_path;  // empty: the interpreter finds ndsim by itself
};

// Throws MachineLimit where the file is not there or not whole.
Toolbox read_toolbox();

// Whether labs that are PyTorch scripts can be run: the interpreter finds PyTorch. Starts it, which takes a moment.
bool pytorch_is_here();

// For the programs that this one starts: what is on their PYTHONPATH already stays behind it.
void let_python_find_ndsim(const Toolbox& toolbox);

}  // namespace sim::labs
