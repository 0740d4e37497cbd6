// Layers are of two kinds, with and without experts. Values that depend on nothing else are computed once for each.
#pragma once

#include "libsim/training/transformer.hpp"

#include <array>
#include <optional>

namespace sim::training {

template <class Value>
class OfLayerKinds {
public:
    // `work_out` takes the first requested layer of its kind. References stay valid.
    template <class WorkOut>
    const Value& of(const Transformer& model, int layer, const WorkOut& work_out) {
        std::optional<Value>& value = values_[model.has_experts(layer) ? 1 : 0];
        if (!value) {
            value = work_out(layer);
        }
        return *value;
    }

private:
    std::array<std::optional<Value>, 2> values_;
};

}  // namespace sim::training
