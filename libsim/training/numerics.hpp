// Numerics are the number formats in which a model is trained, and the state that the optimizer keeps.
#pragma once

#include <cstdint>

namespace sim::training {

// The precision of the matrix products. Parameters and activations have 2 bytes, except in fp32; fp8 casts them on the
// way.
enum class Precision : std::uint8_t { fp32, fp16, bf16, fp8 };

// Adam keeps two moments of each parameter, SGD none; both keep a copy in fp32 of parameters that have 2 bytes.
enum class Optimizer : std::uint8_t { adam, sgd };

struct Numerics {
    Precision precision = Precision::bf16;
    Optimizer optimizer = Optimizer::adam;
    bool fp8_rowwise = false;    // fp8 is scaled by rows, not by whole tensors
    bool fp32_gradients = true;  // accumulated and reduced in 4 bytes, otherwise in the precision of the parameters

    friend bool operator==(const Numerics&, const Numerics&) = default;
};

const char* name_of(Precision precision);
const char* name_of(Optimizer optimizer);

}  // namespace sim::training
