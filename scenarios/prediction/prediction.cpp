#include "scenarios/prediction/prediction.hpp"

#include "libsim/model/check_layout.hpp"
#include "libsim/model/parameters.hpp"
#include "libsim/model/step/estimate.hpp"

namespace sim::scenarios {

Prediction predict(const model::Transformer& model, const model::Machine& machine, const model::Layout& layout,
                   const PredictOptions&) {
    check_layout(model, machine, layout);
    const model::StepPlan plan = plan_step(model, machine, layout);
    Prediction prediction;
    prediction.step = estimated_step(plan);
    return prediction;
}

}  // namespace sim::scenarios
