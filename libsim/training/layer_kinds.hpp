// Values that depend only on a layer's kind are computed once for each kind of a model, not for each layer.
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
        std::optional<Value>& value = values_[model.kind_of(layer).index()];
        if (!value) {
            value = work_out(layer);
        }
        return *value;
    }

private:
    std::array<std::optional<Value>, LayerKind::count> values_;
};

// The first layer of each kind, including layers of multi-token prediction, at the kind's index.
inline std::array<std::optional<int>, LayerKind::count> first_layers_of_kinds(const Transformer& model) {
    std::array<std::optional<int>, LayerKind::count> first;
    for (int layer = model.layers + model.mtp_layers - 1; layer >= 0; --layer) {
        first[model.kind_of(layer).index()] = layer;
    }
    return first;
}

}  // namespace sim::training
