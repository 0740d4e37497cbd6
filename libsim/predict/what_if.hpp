// A what-if predicts the step time of the same training with one change: a faster part of the machine, or another
// option.
#pragma once

#include "libsim/predict/predict.hpp"
#include "libsim/predict/training_options.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sim::predict {

// predict_step(), or a test's replacement.
using Predictor =
    std::function<Prediction(const training::Transformer&, const training::Machine&, const training::Layout&)>;
// predict_step() without details.
Prediction predict_time(const training::Transformer& model, const training::Machine& machine,
                        const training::Layout& layout);

// The machine with links whose rates are multiplied by `factor`: within a node, or between nodes.
training::Machine with_links_within(training::Machine machine, double factor);
training::Machine with_links_between(training::Machine machine, double factor);

// The effect of making one part of the machine 10 % faster.
struct Sensitivity {
    std::string what;
    double step_seconds = 0;
    double change = 0;  // of the step: -0.05 is 5 % less time
};
// Arithmetic, memory bandwidth, links within a node and links between nodes, if the machine has them.
std::vector<Sensitivity> sensitivities(const TrainingCase& what, double step_seconds, const Predictor& predictor);

// Options as typed, without --.
using Change = std::vector<std::pair<std::string, std::string>>;
std::string typed(const Change& change);  // "--tp 4 --dp 8"
// `options` with the change, on the same GPUs and with the same global batch as `what`. Throws UsageError if that is
// impossible.
TrainingCase changed(const TrainingOptions& options, const TrainingCase& what, const Change& change);

struct Advice {
    Change change;
    std::string text;  // description of the change
    double step_seconds = 0;
    double gain = 0;          // share of the step that is saved; negative: it takes longer
    std::int64_t memory = 0;  // of the fullest rank
};
struct AdviceList {
    std::vector<Advice> tried;  // possible and predicted, the largest gain first
    int impossible = 0;         // changes that do not divide or combine
    int too_large = 0;          // changes that do not fit in memory
};
// The neighbours of a layout, each with one thing changed; for a layout that does not fit, also some with several
// changes.
AdviceList advice(const TrainingOptions& options, const TrainingCase& what, double step_seconds,
                  const Predictor& predictor);

}  // namespace sim::predict
