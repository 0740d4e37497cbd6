// The seeds of a class: each student has numbers of their own in every lab, and a grader finds whose they are.
//
// A seed follows from the class's name and the student's, so that a student who joins late changes nobody's. What
// graders carry names nobody: a student is found by a digest.
#pragma once

#include "tools/labs/classes/roster.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::labs {

// From 1 to 999,999,999. Upper and lower case are one, blanks around the name do not count.
std::uint64_t seed_of(const std::string& class_name, const std::string& student);

// "digest,seed" of each name of each student, sorted, with the name of the class in the first line. Seeds are those of
// `name`; a student without one is left out.
std::string seeds_text(const std::string& class_name, const std::vector<Student>& roster, std::string Student::*name);

// Such a table, as a grader reads it.
class Seeds {
public:
    // Throws UsageError, which names the file.
    explicit Seeds(const std::string& file);

    // The seed of the first of these names that is in the class; 0: none is.
    std::uint64_t of(const std::vector<std::string>& names) const;

private:
    std::string class_name_;
    std::vector<std::pair<std::string, std::uint64_t>> rows_;
};

}  // namespace sim::labs
