// These texts present the course as a whole: its list, the learner's first steps, hints, and reports.
#pragma once

#include "libsim/report/schema_text.hpp"
#include "tools/labs/desk/desk.hpp"

#include <string>
#include <vector>

namespace sim::labs {

std::string course_text();
// A line on the languages that cannot be checked on this machine, if any: it is not part of the course.
std::string missing_languages();
std::string course_json();
report::SchemaText lab_list_schema();

// Instructions for the next step.
std::string text_of_start(const Desk& desk);

// The next hint of docs/labs/NN-name/hints.md, which is marked as seen; at the end it repeats the last one.
std::string next_hint(Desk& desk);

std::string report_text(const std::vector<Desk>& desks);
std::string report_json(const std::vector<Desk>& desks);
report::SchemaText lab_report_schema();

}  // namespace sim::labs
