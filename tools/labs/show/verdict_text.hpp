// What `ndsim lab` says, to people and to graders.
#pragma once

#include "libsim/report/schema_text.hpp"
#include "tools/labs/desk/desk.hpp"
#include "tools/labs/show/standing.hpp"
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

// One object on one line, which is Gradescope's results.json as well (score, tests, output).
std::string json_of(const Verdict& verdict, const Desk& desk, const Standing& standing);
std::string json_of_trouble(const Desk& desk, const std::string& trouble, const Standing& standing);
// Autolab's last line: the score of its one problem.
std::string autolab_line(const Verdict* verdict, const Standing& standing);
// How a desk of the learner's own stands.
Standing standing_of(const Desk& desk);
// A sentence about a desk that cannot be believed; empty: it can.
std::string desk_sentence(DeskState state);
report::SchemaText lab_check_schema();

// A run that broke off, in the learner's own lines (ranks/lab/explain_fault.hpp).
std::string explain_fault(const Record& found, const Desk& desk);

}  // namespace sim::labs
