// The report of a predicted training step: the step, and what `ndsim train` and `ndsim explain` say of it. Each number
// is computed here, once; text, JSON, table, picture and page are views of it.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/predict/critical_path.hpp"
#include "libsim/predict/predict.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/predict/what_if.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"
#include "libsim/report/timeline.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sim::explain {

struct StepOptions {
    predict::TrainingOptions training;
    double tokens = 0;  // of the whole run; 0: not given
    double steps = 0;
    bool unfold = false;
    std::vector<faults::Injection> faults = {};

    // Faults need every rank: in a folded run a fault of one rank would hit all the ranks that it stands for.
    bool every_rank() const { return unfold || !faults.empty(); }
};

struct StepReport {
    StepOptions options;
    predict::TrainingCase what;
    config::Given given;
    predict::Prediction step;
    predict::RunCost per_step;
    predict::RunCost per_trillion_tokens;
    std::optional<predict::RunCost> run;  // if its length is given
    std::vector<predict::PathPiece> path;
    std::vector<predict::Sensitivity> sensitivities;
    predict::AdviceList advice;
    Duration undisturbed{0};  // step time without faults and jitter
};

struct StepWatch {
    bool hash = false;
    SpanSink on_span = nullptr;
    std::function<void(const replay::Recording& program, const Cluster& cluster)> on_program = nullptr;
};
// The report of the step alone: its options, case and prediction. Throws UsageError.
StepReport predicted_step(const StepOptions& options, const StepWatch& watch);
// Adds its costs, its critical path and the changes that would improve it: about 20 more predictions. `spans`: all that
// on_span received.
void complete(StepReport& report, const std::vector<Span>& spans);

// "llama3-8b on 64 x H100-SXM-80GB (dgx-h100): dp 32, tp 2".
std::string title_of(const predict::TrainingCase& what);
// `spans`: all that on_span received.
report::Timeline timeline_of(const StepReport& report, const std::vector<Span>& spans);

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
