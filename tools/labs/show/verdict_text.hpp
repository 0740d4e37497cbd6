// What `ndsim lab` says, to people and to graders.
#pragma once

#include "libsim/report/schema_text.hpp"
#include "tools/labs/desk/desk.hpp"
#include "tools/labs/verdict.hpp"

#include <string>

namespace sim::labs {

struct ShowStyle {
    int width = 100;
    bool ascii = false;
    bool colour = false;
};

// The checks of the case that is shown, what is wrong, and, where the run ended, both timelines.
std::string text_of(const Verdict& verdict, const Desk& desk, const ShowStyle& style);
// Of a program that did not come to run: what its compiler or interpreter said.
std::string text_of_trouble(const Desk& desk, const std::string& trouble);

// One object on one line, which Gradescope (score, tests, output) and Autolab (scores) read as well.
std::string json_of(const Verdict& verdict, const Desk& desk);
std::string json_of_trouble(const Lab& lab, const Desk& desk, const std::string& trouble);
report::SchemaText lab_check_schema();

// A run that broke off, in the learner's own lines (ranks/lab/explain_fault.hpp).
std::string explain_fault(const Record& found, const Desk& desk);

}  // namespace sim::labs
