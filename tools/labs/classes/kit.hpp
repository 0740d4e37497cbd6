// A kit lets a grading system grade the labs of a class: a folder to upload, with a seed for each student.
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
    std::string points;      // per lab, such as "10"
    std::string scoring;     // the options of `ndsim lab grade` for it: "--points 10 --pass-fail"
    std::string install;     // pip's argument: "ndsim==0.1.0", or a wheel file, which is copied into the kit
};

// Creates the folder and writes the kit into it; returns instructions for the next steps. Throws OutputError, and
// UsageError if the folder is not empty or the roster lacks the column with the system's student names.
std::string write_kit(const Kit& kit, const std::string& folder);

// Lab numbers such as "1-8", "2,5,7" or "1-3,10". Throws UsageError.
std::vector<const Lab*> labs_of(const std::string& numbers);

}  // namespace sim::labs
