#include "scenarios/prediction/plan/search.hpp"

namespace sim::scenarios {

PlanOracle predictor() {
    return {.least_memory =
                [](const PlanQuestion& question, const model::Layout& layout) {
                    return model::least_memory(question.model, question.machine, layout);
                },
            .step =
                [](const PlanQuestion& question, const model::Layout& layout) {
                    const Prediction found = predict(question.model, question.machine, layout, {.details = false});
                    return PlanOracle::Answer{.step = found.step,
                                              .memory = found.memory.fullest().peak.total(),
                                              .tokens_per_second = found.tokens_per_second,
                                              .mfu = found.mfu};
                }};
}

}  // namespace sim::scenarios
