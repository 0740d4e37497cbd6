// An optimizer is a row: the states that it keeps beside each parameter, which cost memory and, because the update
// reads and writes all of them, time.
//
// Sources: Kingma & Ba 2015 (Adam: two moments); Megatron-LM, training/arguments.py (SGD: one, --sgd-momentum 0.9).
#pragma once

#include <cstdint>
#include <span>

namespace sim::training {

enum class Optimizer : std::uint8_t { adam, sgd };

struct OptimizerRow {
    Optimizer optimizer;
    const char* name;     // name in options and files
    double moment_bytes;  // of the moments of one parameter, in fp32
};

const OptimizerRow& row_of(Optimizer optimizer);
std::span<const OptimizerRow> optimizers();
const char* name_of(Optimizer optimizer);

// Bytes that the update of one parameter reads and writes in its states: the fp32 parameter and the moments.
double updated_bytes(Optimizer optimizer);

}  // namespace sim::training
