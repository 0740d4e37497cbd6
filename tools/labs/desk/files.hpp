// What the learner is given of each lab, compiled into the program: the files of docs/labs/NN-name/ without solutions.
#pragma once

#include <span>

namespace sim::labs {

struct LabFile {
    const char* folder;  // "02-ring-all-reduce"
    const char* name;    // "lab.cpp", "README.md"
    const char* text;
};

std::span<const LabFile> lab_files();
// Null: the lab has none of that name.
const char* lab_file(const char* folder, const char* name);

}  // namespace sim::labs
