// These files are compiled into the program: those that learners get, which are in docs/labs/NN-name/ or cut out of a
// solution there, and what the grader needs of solutions.
#pragma once

#include <span>

namespace sim::labs {

struct LabFile {
    const char* folder;  // "02-ring-all-reduce"
    const char* name;    // "lab.cpp", "README.md"
    const char* text;
};

std::span<const LabFile> lab_files();
// "forms.json" of each lab that is a script, made by script_forms.py: its solution and its known mistakes.
std::span<const LabFile> script_forms();
// The SHA-256 of "solution.cpp" of each lab and of "train_solution.py" of a script.
std::span<const LabFile> solution_digests();
// A file that learners get; null: the lab has none of that name.
const char* lab_file(const char* folder, const char* name);

}  // namespace sim::labs
