// A roster is who is in a class: a CSV file as Gradescope, Autolab and GitHub Classroom export it, or one of one's own.
#pragma once

#include <string>
#include <vector>

namespace sim::labs {

struct Student {
    std::string email;
    std::string id;      // of the school: the columns SID, identifier, student id
    std::string github;  // the account

    // All names that are there.
    std::vector<std::string> names() const;
};

// The first line names the columns, of which at least one is email, SID or github_username; others do not count. Throws
// UsageError with the line: no such column, nobody in it, a student without a name, or one that is there twice.
std::vector<Student> read_roster(const std::string& file);

}  // namespace sim::labs
