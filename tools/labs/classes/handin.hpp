// What a student hands in is graded where students have no access: their program alone is taken, with the numbers of
// their seed, and what their lab.json says is believed where it is signed.
#pragma once

#include "tools/labs/desk/check_desk.hpp"
#include "tools/labs/show/standing.hpp"

#include <string>
#include <vector>

namespace sim::labs {

// Who hands in, as a system names them. Throws UsageError for a file that is not the system's.
// Of Gradescope's submission_metadata.json: the members of a group in the order of their names.
std::vector<std::string> names_in_metadata(const std::string& file);
// Of GitHub Classroom's repository "OWNER/ASSIGNMENT-ACCOUNT": all that the account may be.
std::vector<std::string> names_in_repository(const std::string& repository);

struct Graded {
    Desk desk;
    Checked checked;
    Standing standing;
};

// `submission` is the program, its folder, or a folder with the lab's folder in it. What cannot be graded is trouble in
// the result: no program, or several. `folder` is where the program is run; it is made.
Graded grade_handin(const Lab& lab, const std::string& submission, std::uint64_t seed, const std::string& folder);

}  // namespace sim::labs
