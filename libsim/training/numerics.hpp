// Numerics are the number formats in which a model is trained, and the state that the optimizer keeps.
#pragma once

#include "libsim/training/precision.hpp"

#include <cstdint>

namespace sim::training {

// Adam keeps two moments of each parameter, SGD none; both keep a copy in fp32 of parameters that have 2 bytes.
enum class Optimizer : std::uint8_t { adam, sgd };

struct Numerics {
    Precision precision = Precision::bf16;
    Optimizer optimizer = Optimizer::adam;
    bool fp32_gradients = true;  // accumulated and reduced in 4 bytes, otherwise in the precision of the parameters
    int first_layers_bf16 = 0;   // so many layers of the model are not quantised (Megatron's first_last_layers_bf16)
    int last_layers_bf16 = 0;    // the same at its end; multi-token prediction comes behind it

    // Whether a layer of so many is one of these.
    bool leaves_in_bf16(int layer, int layers) const {
        return layer < first_layers_bf16 || (layer < layers && layer >= layers - last_layers_bf16);
    }
    // Of such a layer.
    Numerics in_bf16() const {
        return {.precision = Precision::bf16, .optimizer = optimizer, .fp32_gradients = fp32_gradients};
    }

    friend bool operator==(const Numerics&, const Numerics&) = default;
};

const char* name_of(Optimizer optimizer);

}  // namespace sim::training
