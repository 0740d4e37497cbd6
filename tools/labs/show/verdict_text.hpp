// These functions produce the output of `ndsim lab`, for people and for graders.
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
    bool brief = false;  // the diagnosis, and a line for each wrong check
};

// The diagnosis, the checks of the shown case, wrong ones first, and, if the run ended, both timelines.
std::string text_of(const Verdict& verdict, const Desk& desk, const ShowStyle& style);
// For a program that could not be run: the output of its compiler or interpreter.
std::string text_of_trouble(const Desk& desk, const std::string& trouble);

// One object on one line, which is also a valid results.json for Gradescope (score, tests, output).
std::string json_of(const Verdict& verdict, const Desk& desk, const Standing& standing);
std::string json_of_trouble(const Desk& desk, const std::string& trouble, const Standing& standing);
// Autolab's last line: the score of its single problem.
std::string autolab_line(const Verdict* verdict, const Standing& standing);
// The standing of the learner's own desk.
Standing standing_of(const Desk& desk);
// A sentence about a desk that cannot be trusted; empty: it can.
std::string desk_sentence(DeskState state);
report::SchemaText lab_check_schema();

// Explains a run that broke off, with the learner's own lines (ranks/lab/explain_fault.hpp).
std::string explain_fault(const Record& found, const Desk& desk);

}  // namespace sim::labs
