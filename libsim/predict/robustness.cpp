#include "libsim/predict/robustness.hpp"

#include "libsim/predict/folded/folded_step.hpp"
#include "libsim/predict/what_if.hpp"

#include <algorithm>

namespace sim::predict {

namespace {

double share_more(Duration step, Duration undisturbed) {
    return seconds(step) / seconds(undisturbed) - 1;
}

}  // namespace

Robustness robustness_of(const training::Transformer& model, const training::Machine& machine,
                         const training::Layout& layout) {
    const training::StepPlan plan = training::plan_step(model, machine, layout);
    const Duration undisturbed = folded_step(plan).time;
    Robustness found;
    for (int stage = 0; stage < layout.parallelism.pp; ++stage) {
        const SlowStage slow{.stage = stage, .factor = slow_gpu_factor};
        const double more = share_more(folded_step(plan, Rounds::repeat, slow).time, undisturbed);
        found.slow_gpu = std::max(found.slow_gpu, more);
        found.slow_gpu_on_average += more / layout.parallelism.pp;
    }
    if (layout.ranks() > 1) {
        found.slow_links_between_nodes = layout.ranks() > machine.gpus_per_node;
        const training::Machine slow = found.slow_links_between_nodes ? with_links_between(machine, slow_links_factor)
                                                                      : with_links_within(machine, slow_links_factor);
        found.slow_links = share_more(folded_step(training::plan_step(model, slow, layout)).time, undisturbed);
    }
    return found;
}

}  // namespace sim::predict
