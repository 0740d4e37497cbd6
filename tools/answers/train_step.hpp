// A train step is what `ndsim train` predicts of its options: the same options give the same step, of which
// `ndsim compare` shows the timeline.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/predict/predict.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/report/timeline.hpp"

#include <functional>
#include <vector>

namespace sim::tools {

struct TrainOptions {
    predict::TrainingOptions training;
    double tokens = 0;  // 0: not said
    double steps = 0;
    bool unfold = false;
    std::vector<faults::Injection> faults = {};

    // What befalls one rank would befall all that it stands for.
    bool every_rank() const { return unfold || !faults.empty(); }
};

// All that change the result. They set `options`.
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
// Throws UsageError.
TrainStep train_step(const TrainOptions& options, const StepWatch& watch);

// `spans`: those that on_span was handed.
report::Timeline timeline_of(const TrainStep& step, const std::vector<Span>& spans);

}  // namespace sim::tools
