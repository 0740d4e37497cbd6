#include "libsim/predict/step_range.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sim::predict {

StepRange range_of(Duration step, const training::Transformer& model, const training::Machine& machine) {
    const training::Uncertainty& uncertainty = machine.gpu.uncertainty;
    const double factor = std::exp(model.has_small_experts() ? uncertainty.small_experts
                                   : model.experts.count > 0 ? uncertainty.experts
                                                             : uncertainty.dense);
    return {seconds(step) / factor, seconds(step) * factor};
}

std::optional<std::string> warning_of_range(const training::Transformer& model, const training::Machine& machine) {
    if (!model.has_small_experts()) {
        return std::nullopt;
    }
    return fmt::format(
        "experts of {} x {}: measured steps of models with such small ones were up to {:.1f} times as "
        "long, or as short, as predicted; the range is as wide (docs/accuracy.md#ranges)",
        model.experts.ffn, model.hidden, std::exp(machine.gpu.uncertainty.small_experts));
}

bool are_told_apart(Duration a, Duration b, const training::Machine& machine) {
    return std::abs(std::log(seconds(a) / seconds(b))) > machine.gpu.uncertainty.order;
}

}  // namespace sim::predict
