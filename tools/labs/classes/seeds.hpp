// The seeds of a class give each student their own numbers in every lab, and let a grader find the seed of a student.
//
// A seed depends only on the names of the class and the student, so that a student who joins late changes no one
// else's. Files for graders contain no names: a student is found by a digest.
#pragma once

#include "tools/labs/classes/roster.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::labs {

// A seed from 1 to 999,999,999. Case and surrounding blanks of the name are ignored.
std::uint64_t seed_of(const std::string& class_name, const std::string& student);

// Lines "digest,seed" for each name of each student, sorted, after a first line with the name of the class. Seeds use
// `name`; a student without it is left out.
std::string seeds_text(const std::string& class_name, const std::vector<Student>& roster, std::string Student::*name);

// The table of seeds, as a grader reads it.
class Seeds {
public:
    // Throws UsageError, which names the file.
    explicit Seeds(const std::string& file);

    // The seed of the first of these names that is in the class; 0: none.
    std::uint64_t of(const std::vector<std::string>& names) const;

private:
    std::string class_name_;
    std::vector<std::pair<std::string, std::uint64_t>> rows_;
};

}  // namespace sim::labs
