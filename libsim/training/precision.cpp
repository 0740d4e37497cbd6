#include "libsim/training/precision.hpp"

#include "libsim/training/efficiency.hpp"

#include <array>

namespace sim::training {

namespace {

constexpr double mx_scale = 1.0 / 32;  // bytes per element
constexpr double nv_scale = 1.0 / 16;
// One scale per row: a kernel reads a row once, but all rows before the scales of columns are known.
constexpr double by_rows = 2 + 1;
constexpr double by_columns = 2 + 2 + 1;

// cast_bytes is the traffic of a cast: reads of the bf16 elements, once more if the scale must be known before they are
// divided by it, and writes of the copies for products along rows and along columns.
constexpr std::array rows{
    PrecisionRow{.precision = Precision::fp32,
                 .name = "fp32",
                 .published = "fp32|tf32",
                 .units = MatrixUnits::fp32,
                 .element_bytes = 4,
                 .product_bytes = 4,
                 .kept_bytes = 4,
                 .gathered_bytes = 4},
    PrecisionRow{.precision = Precision::fp16,
                 .name = "fp16",
                 .published = "fp16",
                 .units = MatrixUnits::fp16,
                 .element_bytes = 2,
                 .product_bytes = 2,
                 .kept_bytes = 2,
                 .gathered_bytes = 2},
    PrecisionRow{.precision = Precision::bf16,
                 .name = "bf16",
                 .published = "bf16",
                 .units = MatrixUnits::bf16,
                 .element_bytes = 2,
                 .product_bytes = 2,
                 .kept_bytes = 2,
                 .gathered_bytes = 2},
    // Megatron Core gathers parameters in 1 byte (--fp8-param-gather) and keeps them and their transpose.
    PrecisionRow{.precision = Precision::fp8,
                 .name = "fp8",
                 .published = "fp8",
                 .units = MatrixUnits::fp8,
                 .element_bytes = 2,
                 .product_bytes = 1,
                 .cast_bytes = 2 + 2 + 1 + 1,
                 .kept_bytes = 1,
                 .gathered_bytes = 1},
    // torchao gathers weights in bf16, and quantises them in each pass along the dimension that the pass sums over.
    PrecisionRow{.precision = Precision::fp8_rowwise,
                 .name = "fp8-rowwise",
                 .published = "rowwise",
                 .units = MatrixUnits::fp8,
                 .element_bytes = 2,
                 .product_bytes = 1,
                 .cast_bytes = by_rows + by_columns,
                 .weight_cast_bytes = (by_rows + by_columns) / 2,
                 .by_layer = true,
                 .kept_bytes = 1,
                 .gathered_bytes = 2,
                 .factor = &Efficiency::fp8_rowwise},
    PrecisionRow{.precision = Precision::fp8_block,
                 .name = "fp8-block",
                 .published = "fp8-sc|fp8 block|blockwise|fine-grained",
                 .units = MatrixUnits::fp8,
                 .element_bytes = 2,
                 .product_bytes = 1 + 4.0 / 128,
                 .cast_bytes = 2 + 2 * (1 + 4.0 / 128),
                 .kept_bytes = 1 + 4.0 / 128,
                 .cached_bytes = 2,
                 .gathered_bytes = 2,
                 .factor = &Efficiency::fp8_block},
    // Parameters are gathered in bf16, into the gradient buffer, and then quantised.
    PrecisionRow{.precision = Precision::mxfp8,
                 .name = "mxfp8",
                 .published = "mxfp8|fp8-mx",
                 .units = MatrixUnits::fp8,
                 .element_bytes = 2,
                 .product_bytes = 1 + mx_scale,
                 .cast_bytes = 2 + 2 * (1 + mx_scale),
                 .kept_bytes = 1 + mx_scale,
                 .cached_bytes = 2 * mx_scale,
                 .gathered_bytes = 2},
    // An additional pass finds the tensor's own scale.
    PrecisionRow{.precision = Precision::nvfp4,
                 .name = "nvfp4",
                 .published = "fp4",
                 .units = MatrixUnits::fp4,
                 .element_bytes = 2,
                 .product_bytes = 0.5 + nv_scale,
                 .cast_bytes = 2 + 2 + 2 * (0.5 + nv_scale),
                 .kept_bytes = 0.5 + nv_scale,
                 .cached_bytes = 2 * (0.5 + nv_scale),
                 .gathered_bytes = 2},
};

}  // namespace

const PrecisionRow& row_of(Precision precision) {
    return rows[static_cast<std::size_t>(precision)];
}

std::span<const PrecisionRow> precisions() {
    return rows;
}

const char* name_of(Precision precision) {
    return row_of(precision).name;
}

}  // namespace sim::training
