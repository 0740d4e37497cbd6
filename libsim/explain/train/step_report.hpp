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
    std::optional<predict::RunCost> run;  // where its length was said
    std::vector<predict::PathPiece> path;
    std::vector<predict::Sensitivity> sensitivities;
    predict::AdviceList advice;
    bool unfolded = false;
    std::vector<faults::Injection> faults = {};  // that the step suffers
    Duration undisturbed{0};                     // the step without them
};

// Over all of data parallelism.
double tokens_of_step(const predict::TrainingCase& what);
// A run of as many steps as `tokens` take.
predict::RunCost cost_of_tokens(const predict::Prediction& step, const predict::TrainingCase& what, double tokens);

// For people. Lines end with "\n".
std::string text_of(const StepReport& report);
// For programs: one object on one line, with the keys step_seconds, tokens_per_second, mfu, hfu, breakdown, memory,
// simulated_ranks, timeline_sha256 and more.
std::string json_of(const StepReport& report);
// Where the time of the step goes: a row for each category, the average over all ranks.
report::Table parts_of(const predict::Prediction& step);
// An SVG picture: where the time of the step goes, and what the fullest rank's memory holds.
std::string step_svg(const StepReport& report);
// tools/schemas/train.schema.json, and its part of columns.json.
report::SchemaText train_schema();
report::SchemaText train_columns();

}  // namespace sim::explain
