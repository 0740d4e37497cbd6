#include "libsim/search/search.hpp"
#include "libsim/training/step/estimate.hpp"

namespace sim::search {

using namespace predict;

namespace {

PlanOracle::Answer simulate(const PlanQuestion& question, const training::Layout& layout) {
    const Prediction found = predict_step(question.model, question.machine, layout, {.details = false});
    return {.step = found.step,
            .memory = found.memory.fullest().peak.total(),
            .tokens_per_second = found.tokens_per_second,
            .mfu = found.mfu,
            .flops_per_second = found.flops_per_second};
}

}  // namespace

PlanOracle predictor() {
    return {.least_memory =
                [](const PlanQuestion& question, const training::Layout& layout) {
                    return training::least_memory(question.model, question.machine, layout);
                },
            .least_step =
                [](const PlanQuestion& question, const training::Layout& layout) {
                    return training::estimated_step(training::plan_step(question.model, question.machine, layout));
                },
            .simulate = simulate};
}

}  // namespace sim::search
