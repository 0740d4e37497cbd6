// The step report is the output of `ndsim train`: the answer first, then the assumptions behind it.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/predict/critical_path.hpp"
#include "libsim/predict/predict.hpp"
#include "libsim/predict/what_if.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::explain {

struct StepReport {
    predict::TrainingCase what;
    config::Given given;
    predict::Prediction step;
    predict::RunCost per_step;
    predict::RunCost per_trillion_tokens;
    std::optional<predict::RunCost> run;  // if its length is given
    std::vector<predict::PathPiece> path;
    std::vector<predict::Sensitivity> sensitivities;
    predict::AdviceList advice;
    bool unfolded = false;
    std::vector<faults::Injection> faults = {};  // faults injected into the step
    Duration undisturbed{0};                     // step time without them
};

// Sums over all of data parallelism.
double tokens_of_step(const predict::TrainingCase& what);
// The cost of the number of steps that `tokens` take.
predict::RunCost cost_of_tokens(const predict::Prediction& step, const predict::TrainingCase& what, double tokens);

// The view for people. Lines end with "\n".
std::string text_of(const StepReport& report);
// The view for programs: one object on one line, with the keys step_seconds, tokens_per_second, mfu, hfu, breakdown,
// memory, simulated_ranks, timeline_sha256 and more.
std::string json_of(const StepReport& report);
// The time of the step by category, a row for each, averaged over all ranks.
report::Table parts_of(const predict::Prediction& step);
// An SVG picture of the time of the step by category, and of the memory of the fullest rank.
std::string step_svg(const StepReport& report);
// tools/schemas/train.schema.json, and its part of columns.json.
report::SchemaText train_schema();
report::SchemaText train_columns();

}  // namespace sim::explain
