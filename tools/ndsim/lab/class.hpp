// `ndsim lab kit` and `ndsim lab grade` serve the labs of a class, in which each student has their own seed.
#pragma once

#include "libsim/config/option_row.hpp"
#include "tools/labs/show/verdict_text.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct ClassOptions {
    std::string class_name;
    // of kit
    bool gradescope = false;
    bool autolab = false;
    bool github_classroom = false;
    std::string folder;
    std::string labs;
    std::string roster;
    std::string points;
    std::string weights;
    bool pass_fail = false;
    std::string install;
    // of grade; start has the student, too
    std::string submission;
    std::string student;
    std::string metadata;
    std::string repository;
    std::string seeds;
};

config::OptionRow class_row(ClassOptions& options);
std::vector<config::OptionRow> rows_of_kit(ClassOptions& options);
std::vector<config::OptionRow> rows_of_grade(ClassOptions& options);

// Replaces `seed` by the student's if a student is given.
void take_seed_of_student(const ClassOptions& options, int& seed);

// Both return the exit code and throw UsageError, OutputError and MachineLimit.
int write_kit(const ClassOptions& options);
int grade_handin(const ClassOptions& options, const std::string& lab, int seed, bool json,
                 const labs::ShowStyle& style);

}  // namespace sim::tools
