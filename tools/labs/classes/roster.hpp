// A roster lists a class: a CSV file as exported by Gradescope, Autolab or GitHub Classroom, or a hand-written one.
#pragma once

#include <string>
#include <vector>

namespace sim::labs {

struct Student {
    std::string email;
    std::string id;      // the school's id: the columns SID, identifier, student id
    std::string github;  // account name

    // All names that are not empty.
    std::vector<std::string> names() const;
};

// The first line names the columns, of which at least one must be email, SID or github_username; others are ignored.
// Throws UsageError with the line: no such column, no students, a student without a name, or one listed twice.
std::vector<Student> read_roster(const std::string& file);

}  // namespace sim::labs
