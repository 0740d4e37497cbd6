// `ndsim train` predicts a training step: its options, the step, and the report on it. `ndsim explain` and
// `ndsim compare` use the same step.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/explain/train/step_report.hpp"
#include "libsim/predict/predict.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/report/timeline.hpp"

#include <functional>
#include <vector>

namespace sim::tools {

struct TrainOptions {
    predict::TrainingOptions training;
    double tokens = 0;  // 0: not given
    double steps = 0;
    bool unfold = false;
    std::vector<faults::Injection> faults = {};

    // Faults need every rank: in a folded run a fault of one rank would hit all the ranks that it stands for.
    bool every_rank() const { return unfold || !faults.empty(); }
};

// The options that change the result. They set `options`.
std::vector<config::OptionRow> train_rows(TrainOptions& options);

struct TrainStep {
    predict::TrainingCase what;
    predict::Prediction step;
    bool unfolded = false;
    std::vector<faults::Injection> faults = {};
};

struct StepWatch {
    bool hash = false;
    SpanSink on_span = nullptr;
    std::function<void(const replay::Recording& program, const Cluster& cluster)> on_program = nullptr;
};
// Predicts the step. Throws UsageError.
TrainStep train_step(const TrainOptions& options, const StepWatch& watch);

// The report of the step, without the given options. `spans`: all that on_span received.
explain::StepReport train_report(const TrainOptions& options, const TrainStep& step, const std::vector<Span>& spans);

// `spans`: all that on_span received.
report::Timeline timeline_of(const TrainStep& step, const std::vector<Span>& spans);

}  // namespace sim::tools
