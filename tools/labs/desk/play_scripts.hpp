// These functions play PyTorch scripts of labs in each case, in one process that imports PyTorch once.
#pragma once

#include "tools/command_line/child_process.hpp"
#include "tools/labs/lab.hpp"

#include <string>
#include <vector>

namespace sim::labs {

struct PlayedScripts {
    // By script, then by case. If the first two leave the same, the scripts after them are skipped and their records
    // empty.
    std::vector<std::vector<Record>> records = {};
    std::string trouble = {};  // why one of the first two could not be run; else empty
};

// The output of the first script in the first case goes to standard error; all other output is discarded. Throws
// MachineLimit if PyTorch is not installed.
PlayedScripts play_scripts(const std::vector<std::string>& files, const std::vector<Case>& cases);

// Writes the scripts that a learner's is played beside into the folder, in a form that shows none of their lines: the
// solution's, then that of each known mistake. Throws MachineLimit if ndsim was built without its Python package.
std::vector<std::string> write_references(const Lab& lab, const command_line::PassingFolder& folder);
// The solution's record in each case.
std::vector<Record> play_solution(const Lab& lab, const std::vector<Case>& cases);

}  // namespace sim::labs
