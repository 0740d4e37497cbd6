// Wrong programs for labs: none may pass, and none may be named as a mistake that it does not make.
#pragma once

#include "tools/labs/lab.hpp"

#include <vector>

namespace wrong {

struct Program {
    int lab;
    const char* what;  // the error
    sim::lab::Program program;
    const char* named = "";  // a known mistake with the same outcome, or empty
};

// One list per lab: each file wrong/NN_name.cpp defines of_lab_NN(), and the build writes the list of files.
std::vector<std::vector<Program>> of_all_labs();

}  // namespace wrong
