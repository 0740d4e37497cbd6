// A submission is graded out of students' reach: only their program is taken, with the numbers of their seed, and their
// lab.json is trusted only if it is signed.
#pragma once

#include "tools/labs/desk/check_desk.hpp"
#include "tools/labs/show/standing.hpp"

#include <string>
#include <vector>

namespace sim::labs {

// The submitter's names in the system. Throws UsageError for a file of another format. For Gradescope's
// submission_metadata.json: the members of a group in the order of their names.
std::vector<std::string> names_in_metadata(const std::string& file);
// For GitHub Classroom's repository "OWNER/ASSIGNMENT-ACCOUNT": all possible account names.
std::vector<std::string> names_in_repository(const std::string& repository);

struct Graded {
    Desk desk;
    Checked checked;
    Standing standing;
};

// `submission` is the program, its folder, or a folder with the lab's folder in it. The result reports trouble if there
// is no program, or more than one. The program runs in `folder`, which is created.
Graded grade_handin(const Lab& lab, const std::string& submission, std::uint64_t seed, const std::string& folder);

}  // namespace sim::labs
