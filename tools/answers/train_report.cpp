#include "tools/answers/train_report.hpp"

namespace sim::tools {

using namespace predict;
using namespace explain;

StepReport train_report(const TrainOptions& options, const TrainStep& step, const std::vector<Span>& spans) {
    StepReport report{.what = step.what, .step = step.step, .unfolded = step.unfolded, .faults = step.faults};
    const TrainingCase& what = report.what;
    report.path = critical_path(spans);
    report.per_step = cost_of(report.step, what.machine, what.layout, 1);
    report.per_trillion_tokens = cost_of_tokens(report.step, what, 1e12);
    if (options.steps > 0) {
        report.run = cost_of(report.step, what.machine, what.layout, options.steps);
    } else if (options.tokens > 0) {
        report.run = cost_of_tokens(report.step, what, options.tokens);
    }
    // Both compare with what predict_time() gives: without jitter, folded.
    report.undisturbed = predict_time(what.model, what.machine, what.layout).step;
    const double plain = seconds(report.undisturbed);
    report.sensitivities = sensitivities(what, plain, predict_time);
    report.advice = advice(options.training, what, plain, predict_time);
    return report;
}

}  // namespace sim::tools
