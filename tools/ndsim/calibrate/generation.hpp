// `ndsim calibrate --generation NAME`: fits the numbers of a GPU generation's data file to published runs.
#pragma once

#include "libsim/fit/validation/measured_runs.hpp"
#include "libsim/for_each.hpp"
#include "tools/ndsim/command.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct GenerationOptions {
    std::string generation;  // empty: a machine is calibrated instead
    std::string fields;
    std::string efficiency;
    std::string leave_one_out;
    int passes = 20;
    double step = 0.1;
};

std::vector<config::OptionRow> generation_rows(GenerationOptions& options);

// Answers with the errors before and after, and with lines of the generation's data file. `runs` are those of `file`,
// on any GPU. Throws UsageError.
Answer generation_answer(const GenerationOptions& options, const fit::MeasuredRuns& runs, const std::string& file,
                         const ForEach& for_each, const Listener& listener);

}  // namespace sim::tools
