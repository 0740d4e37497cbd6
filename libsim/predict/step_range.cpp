#include "libsim/predict/step_range.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sim::predict {

namespace {

// The part of a model that no measured step has had; null if there is none.
const char* unmeasured_part(const training::Transformer& model) {
    return model.has_linear_attention() ? "linear attention"
           : model.is_sparse()          ? "sparse attention"
           : model.encoder              ? "a decoder's attention to an encoder"
           : model.patches              ? "layers of patches"
           : model.tower                ? "a tower for images"
           : model.per_layer            ? "inputs of each layer's own"
                                        : nullptr;
}

bool has_widest_range(const training::Transformer& model) {
    return model.has_small_experts() || unmeasured_part(model) != nullptr;
}

}  // namespace

StepRange range_of(Duration step, const training::Transformer& model, const training::Machine& machine) {
    const training::Uncertainty& uncertainty = machine.gpu.uncertainty;
    const double factor = std::exp(has_widest_range(model)   ? uncertainty.small_experts
                                   : model.experts.count > 0 ? uncertainty.experts
                                                             : uncertainty.dense);
    return {seconds(step) / factor, seconds(step) * factor};
}

std::optional<std::string> warning_of_range(const training::Transformer& model, const training::Machine& machine) {
    if (const char* const part = unmeasured_part(model)) {
        return fmt::format(
            "no step with {} was measured; the range is as wide as that of models with small experts, up "
            "to {:.1f} times as long, or as short (docs/accuracy.md#ranges)",
            part, std::exp(machine.gpu.uncertainty.small_experts));
    }
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
