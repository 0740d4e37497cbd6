#include "libsim/predict/step_range.hpp"

#include <cmath>

namespace sim::predict {

StepRange range_of(Duration step, const training::Transformer& model, const training::Machine& machine) {
    const training::Uncertainty& uncertainty = machine.gpu.uncertainty;
    const double factor = std::exp(model.experts.count > 0 ? uncertainty.experts : uncertainty.dense);
    return {seconds(step) / factor, seconds(step) * factor};
}

bool are_told_apart(Duration a, Duration b, const training::Machine& machine) {
    return std::abs(std::log(seconds(a) / seconds(b))) > machine.gpu.uncertainty.order;
}

}  // namespace sim::predict
