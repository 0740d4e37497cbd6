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

    friend bool operator==(const Numerics&, const Numerics&) = default;
};

const char* name_of(Optimizer optimizer);

}  // namespace sim::training
