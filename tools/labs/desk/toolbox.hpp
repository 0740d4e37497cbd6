// The toolbox tells how learners' programs are built and run here: share/ndsim/labs.toml, which the build of ndsim
// writes, beside the folder of this executable.
#pragma once

#include <string>
#include <vector>

namespace sim::labs {

struct Toolbox {
    std::string compiler;            // a command
    std::vector<std::string> flags;  // for one file to an executable
    std::string interpreter;
    std::string python_path;
};

// Throws MachineLimit where the file is not there or not whole.
Toolbox read_toolbox();

}  // namespace sim::labs
