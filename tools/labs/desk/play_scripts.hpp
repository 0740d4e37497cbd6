// PyTorch scripts of labs, each played in each case, in one process that imports PyTorch once.
#pragma once

#include "tools/labs/lab.hpp"

#include <string>
#include <vector>

namespace sim::labs {

struct PlayedScripts {
    // By script, then by case. Those after the second are left out, and empty, where the first leaves what the second
    // does.
    std::vector<std::vector<Record>> records = {};
    std::string trouble = {};  // why the first or the second could not be run; empty: they could
};

// What the first prints in the first case goes to standard error; of the others nothing. Throws MachineLimit where
// there is no PyTorch.
PlayedScripts play_scripts(const std::vector<std::string>& files, const std::vector<Case>& cases);

// The solution of a lab that is a script.
std::string solved_script(const Lab& lab);
// What it leaves in each case.
std::vector<Record> play_solution(const Lab& lab, const std::vector<Case>& cases);
// The same with other lines between its marks.
std::string with_lines(const std::string& solution, std::string_view lines);

}  // namespace sim::labs
