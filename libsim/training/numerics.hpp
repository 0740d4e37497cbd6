// Numerics are the number formats of a model's training and its optimizer, which keeps an fp32 copy of 2-byte
// parameters.
#pragma once

#include "libsim/training/optimizer.hpp"
#include "libsim/training/precision.hpp"

namespace sim::training {

struct Numerics {
    Precision precision = Precision::bf16;
    Optimizer optimizer;
    bool fp32_gradients = true;  // accumulated and reduced in 4 bytes, otherwise in the precision of the parameters
    int first_layers_bf16 = 0;   // this many first layers are not quantised (Megatron's first_last_layers_bf16)
    int last_layers_bf16 = 0;    // the same for the last layers, before those of multi-token prediction

    // Whether `layer` of `layers` is one of these.
    bool leaves_in_bf16(int layer, int layers) const {
        return layer < first_layers_bf16 || (layer < layers && layer >= layers - last_layers_bf16);
    }
    // The numerics of such a layer.
    Numerics in_bf16() const {
        return {.precision = Precision::bf16, .optimizer = optimizer, .fp32_gradients = fp32_gradients};
    }

    friend bool operator==(const Numerics&, const Numerics&) = default;
};

}  // namespace sim::training
