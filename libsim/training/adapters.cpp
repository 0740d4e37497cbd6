#include "libsim/training/adapters.hpp"

#include <array>
#include <cstddef>

namespace sim::training {

namespace {

// 4 bits; 8 bits for each block of 64; 32 bits for each 256 of those.
constexpr double nf4_bytes = (4 + 8.0 / 64 + 32.0 / (64 * 256)) / 8;

// In the order of the enum.
constexpr std::array base_precision_rows{
    BasePrecisionRow{BasePrecision::unquantised, "unquantised", 0},
    BasePrecisionRow{BasePrecision::nf4, "nf4", nf4_bytes},
};

}  // namespace

const BasePrecisionRow& row_of(BasePrecision precision) {
    return base_precision_rows[static_cast<std::size_t>(precision)];
}

std::span<const BasePrecisionRow> base_precisions() {
    return base_precision_rows;
}

const char* name_of(BasePrecision precision) {
    return row_of(precision).name;
}

const char* name_of(AdapterTargets targets) {
    switch (targets) {
        case AdapterTargets::all_linear: return "all-linear";
        case AdapterTargets::attention: return "attention";
    }
    return "?";
}

}  // namespace sim::training
