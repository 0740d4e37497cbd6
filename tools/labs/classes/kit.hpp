// A kit is what a system of grading takes to grade labs of a class: a folder to upload, with a seed for each student.
#pragma once

#include "tools/labs/classes/roster.hpp"
#include "tools/labs/lab.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::labs {

enum class System : std::uint8_t { gradescope, autolab, github_classroom };

struct Kit {
    System system = System::gradescope;
    std::vector<const Lab*> labs;
    std::vector<Student> roster;
    std::string class_name;  // mixed into the seeds
    std::string points;      // of a lab, such as "10"
    std::string install;     // what pip installs: "ndsim==0.1.0", or a wheel's file, which is copied along
};

// Makes the folder and writes the kit into it; returns what to do next. Throws UsageError where the folder holds
// something already, or where the roster lacks the column that the system knows students by, and OutputError.
std::string write_kit(const Kit& kit, const std::string& folder);

// "1-8", "2,5,7", "1-3,10": numbers of labs. Throws UsageError.
std::vector<const Lab*> labs_of(const std::string& numbers);

}  // namespace sim::labs
