// The course as a whole: its list, what a learner is told at the start, hints, reports, and keys for instructors.
#pragma once

#include "tools/labs/desk/desk.hpp"

#include <string>
#include <vector>

namespace sim::labs {

std::string course_text();
std::string course_json();

// What to do next.
std::string text_of_start(const Desk& desk);

// The next hint of docs/labs/NN-name/hints.md, which counts as seen; the last one again once there are no more.
std::string next_hint(Desk& desk);

std::string report_text(const std::vector<Desk>& desks);
std::string report_json(const std::vector<Desk>& desks);

// Every number that the checks of a seed expect, by case, the right prediction, and the known mistakes with what is
// said of each.
std::string key_text(const Lab& lab, std::uint64_t seed);
// The timeline of the right program in the first case, as SVG.
std::string key_picture(const Lab& lab, std::uint64_t seed);

}  // namespace sim::labs
