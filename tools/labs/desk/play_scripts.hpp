// These functions play PyTorch scripts of labs in each case, in one process that imports PyTorch once.
#pragma once

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

// The solution of a lab that is a script.
std::string solved_script(const Lab& lab);
// The solution's record in each case.
std::vector<Record> play_solution(const Lab& lab, const std::vector<Case>& cases);
// The solution with other lines between its marks.
std::string with_lines(const std::string& solution, std::string_view lines);

}  // namespace sim::labs
