// `ndsim lab kit` and `ndsim lab grade`: labs of a class, each student with a seed of their own.
#pragma once

#include "libsim/config/option_row.hpp"
#include "tools/labs/show/verdict_text.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct ClassOptions {
    std::string class_name;
    // kit
    bool gradescope = false;
    bool autolab = false;
    bool github_classroom = false;
    std::string folder;
    std::string labs;
    std::string roster;
    std::string points;
    std::string install;
    // grade; of start the student
    std::string submission;
    std::string student;
    std::string metadata;
    std::string repository;
    std::string seeds;
};

config::OptionRow class_row(ClassOptions& options);
std::vector<config::OptionRow> rows_of_kit(ClassOptions& options);
std::vector<config::OptionRow> rows_of_grade(ClassOptions& options);

// Where a student is named, their seed in the place of `seed`.
void take_seed_of_student(const ClassOptions& options, int& seed);

// Return the exit code. Throw UsageError, OutputError and MachineLimit.
int write_kit(const ClassOptions& options);
int grade_handin(const ClassOptions& options, const std::string& lab, int seed, bool json,
                 const labs::ShowStyle& style);

}  // namespace sim::tools
