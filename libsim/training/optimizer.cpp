#include "libsim/training/optimizer.hpp"

#include <array>

namespace sim::training {

namespace {

constexpr double fp32 = 4;

// In the order of the enum.
constexpr std::array optimizer_rows{
    OptimizerRow{.optimizer = Optimizer::adam, .name = "adam", .moment_bytes = 2 * fp32},
    OptimizerRow{.optimizer = Optimizer::sgd, .name = "sgd", .moment_bytes = fp32},
};

}  // namespace

const OptimizerRow& row_of(Optimizer optimizer) {
    return optimizer_rows[static_cast<std::size_t>(optimizer)];
}

std::span<const OptimizerRow> optimizers() {
    return optimizer_rows;
}

const char* name_of(Optimizer optimizer) {
    return row_of(optimizer).name;
}

double updated_bytes(Optimizer optimizer) {
    return 2 * (fp32 + row_of(optimizer).moment_bytes);
}

}  // namespace sim::training
