// These are files of docs/labs/NN-name/, compiled into the program: those that learners get, and the solutions that
// PyTorch scripts are compared with.
#pragma once

#include <span>

namespace sim::labs {

struct LabFile {
    const char* folder;  // "02-ring-all-reduce"
    const char* name;    // "lab.cpp", "README.md"
    const char* text;
};

std::span<const LabFile> lab_files();
// "train_solution.py" of each lab that is a script, in hexadecimal digits: play_scripts.hpp decodes them.
std::span<const LabFile> solved_scripts();
// The SHA-256 of "solution.cpp" of each lab and of "train_solution.py" of a script.
std::span<const LabFile> solution_digests();
// A file that learners get; null: the lab has none of that name.
const char* lab_file(const char* folder, const char* name);

}  // namespace sim::labs
