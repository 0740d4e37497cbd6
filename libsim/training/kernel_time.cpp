#include "libsim/training/kernel_time.hpp"

#include <algorithm>
#include <cmath>

namespace sim::training {

namespace {

constexpr double vector_width = 8;  // elements of one load into the tensor cores
constexpr double tile = 64;         // side of a tensor-core tile: a side that is not a multiple wastes part of one

bool is_aligned(double side) {
    return std::fmod(side, tile) == 0;
}

// Kernels of scans on one H100: the share of the memory's bandwidth, and the seconds of a load from memory and the
// product that waits for it. Set from every second case of docs/data/h100/times.csv: docs/accuracy.md.
constexpr double scan_memory_share = 0.75;
constexpr double scan_turn = 0.68e-6;

// From 0 to 1; 1/2 at `half`.
double half_at(double size, double half) {
    return size / (size + half);
}

double factor_of_version(const Efficiency& efficiency, int version) {
    return version == 1 ? efficiency.flash_first : version == 2 ? 1 : efficiency.flash_third;
}

// The format of everything but the products of a model with quantised products.
Precision rest_of(Precision precision) {
    return row_of(precision).quantises() ? Precision::bf16 : precision;
}

struct Shares {
    double peak;
    double half_flops;
};

Shares shares_of(const Efficiency& efficiency, MatrixUnits units) {
    switch (units) {
        case MatrixUnits::fp8: return {efficiency.fp8_peak, efficiency.fp8_half_flops};
        case MatrixUnits::fp4: return {efficiency.fp4_peak, efficiency.fp4_half_flops};
        case MatrixUnits::fp32:
        case MatrixUnits::fp16:
        case MatrixUnits::bf16: break;
    }
    return {efficiency.gemm_peak, efficiency.gemm_half_flops};
}

}  // namespace

KernelTimes::Multiplier KernelTimes::multiplier_of(const Accelerator& gpu, Precision precision) {
    const PrecisionRow& row = row_of(precision);
    const Shares shares = shares_of(gpu.efficiency, row.units);
    return {.peak = gpu.sustained(row.units) * (row.factor == nullptr ? 1 : gpu.efficiency.*row.factor),
            .share = shares.peak,
            .half_flops = shares.half_flops,
            .input_bytes = row.product_bytes,
            .cast_bytes = row.cast_bytes,
            .weight_cast_bytes = row.weight_cast_bytes,
            .by_layer = row.by_layer};
}

KernelTimes::KernelTimes(const Accelerator& gpu, const Layout& layout)
    : efficiency_(&gpu.efficiency),
      element_bytes_(row_of(layout.numerics.precision).element_bytes),
      rest_(multiplier_of(gpu, rest_of(layout.numerics.precision))),
      products_(multiplier_of(gpu, layout.numerics.precision)),
      bandwidth_(gpu.memory_bandwidth),
      flash_factor_(factor_of_version(gpu.efficiency, layout.framework.flash_version)),
      fp8_attention_(layout.framework.fp8_attention && row_of(layout.numerics.precision).quantises()) {}

KernelTimes::KernelTimes(const Accelerator& gpu, double peak, double element_bytes, int flash_version)
    : efficiency_(&gpu.efficiency),
      element_bytes_(element_bytes),
      rest_{.peak = peak,
            .share = gpu.efficiency.gemm_peak,
            .half_flops = gpu.efficiency.gemm_half_flops,
            .input_bytes = element_bytes},
      products_(rest_),
      bandwidth_(gpu.memory_bandwidth),
      flash_factor_(factor_of_version(gpu.efficiency, flash_version)) {}

KernelTimes::KernelTimes(const Accelerator& gpu, Precision quantised, int flash_version)
    : efficiency_(&gpu.efficiency),
      element_bytes_(row_of(quantised).element_bytes),
      rest_(multiplier_of(gpu, rest_of(quantised))),
      products_(multiplier_of(gpu, quantised)),
      bandwidth_(gpu.memory_bandwidth),
      flash_factor_(factor_of_version(gpu.efficiency, flash_version)) {
    products_.cast_bytes = 0;
    products_.weight_cast_bytes = 0;
}

double KernelTimes::with_gaps(double seconds, double kernels) const {
    return seconds + kernels * efficiency_->kernel_gap;
}

double KernelTimes::share_of_gemm(const Gemm& shape, const Multiplier& units) const {
    const double size = std::pow(units.half_flops / (shape.flops() + 1), efficiency_->gemm_exponent);
    const double sides = half_at(std::min({shape.m, shape.n, shape.k}), efficiency_->gemm_half_side);
    const bool aligned = is_aligned(shape.n) && is_aligned(shape.k);
    return units.share / (1 + size) * sides * (aligned ? 1 : efficiency_->gemm_unaligned);
}

double KernelTimes::product(const Gemm& shape, GemmKind kind, double bytes, const Multiplier& units) const {
    double share = share_of_gemm(shape, units);
    if (kind == GemmKind::weight_gradient) {
        share *= efficiency_->gemm_weight_gradient;
    }
    const double arithmetic = shape.flops() / (share * units.peak);
    const double traffic = bytes / (bandwidth_ * efficiency_->memory_share);
    return with_gaps(std::max(arithmetic, traffic));
}

// The weight gradient's product reuses the gradient that was quantised for the input gradient.
double KernelTimes::cast(double elements, double weights, GemmKind kind, const Multiplier& units) const {
    const bool is_new = units.cast_bytes > 0 && kind != GemmKind::weight_gradient;
    const double bytes = units.cast_bytes * elements + units.weight_cast_bytes * weights;
    return is_new ? efficiency_->cast_passes * memory(bytes) : 0;
}

double KernelTimes::gemm(const Gemm& shape, GemmKind kind, Format format, double layers) const {
    const Multiplier& units = format == Format::products ? products_ : rest_;
    const double inputs = shape.m * shape.k + shape.k * shape.n;
    return product(shape, kind, inputs * units.input_bytes + shape.m * shape.n * element_bytes_, units) +
           cast((units.by_layer ? layers : 1) * shape.m * shape.k, shape.k * shape.n, kind, units);
}

double KernelTimes::convolution(const Gemm& shape, GemmKind kind, double bytes) const {
    return product(shape, kind, bytes, rest_);
}

double KernelTimes::grouped_gemm(const Gemm& shape, GemmKind kind, double gradient_bytes) const {
    const Multiplier& units = products_;
    const double size = std::pow(units.half_flops / (shape.flops() + 1), efficiency_->gemm_exponent);
    const double rows = half_at(std::min({shape.m, shape.n, shape.k}), efficiency_->grouped_half_rows);
    // A rank's only expert is an ordinary product.
    double share = units.share / (1 + size) * (shape.batch > 1 ? efficiency_->gemm_grouped : 1) * rows;
    if (kind == GemmKind::weight_gradient) {
        share *= efficiency_->gemm_weight_gradient;
    }
    const double arithmetic = shape.flops() / (share * units.peak);
    const double weights = shape.batch * shape.k * shape.n;
    const double inputs = shape.batch * shape.m * shape.k;
    const double results = shape.batch * shape.m * shape.n;
    // A weight gradient reads both row operands.
    const double bytes = kind == GemmKind::weight_gradient
                             ? (inputs + results) * units.input_bytes + gradient_bytes * weights
                             : (inputs + weights) * units.input_bytes + results * element_bytes_;
    const double traffic = bytes / (bandwidth_ * efficiency_->memory_share);
    return with_gaps(std::max(arithmetic, traffic)) + cast(inputs, weights, kind, units);
}

double KernelTimes::scores(const Gemm& shape) const {
    const bool aligned = std::fmod(shape.n, vector_width) == 0 && std::fmod(shape.k, vector_width) == 0;
    const double share = efficiency_->scores_gemm * (aligned ? 1 : efficiency_->gemm_unaligned);
    const double arithmetic = shape.flops() / (rest_.peak * share);
    const double bytes = shape.batch * (shape.m * shape.k + shape.k * shape.n + shape.m * shape.n) * element_bytes_;
    const double traffic = bytes / (bandwidth_ * efficiency_->memory_share);
    return with_gaps(std::max(arithmetic, traffic));
}

double KernelTimes::flash(const Flash& pass) const {
    const double factor = pass.version == 0 ? flash_factor_ : factor_of_version(*efficiency_, pass.version);
    const double format = !fp8_attention_ ? 1
                          : pass.backward ? efficiency_->flash_fp8_backward
                                          : efficiency_->flash_fp8_forward;
    // cuDNN 9.22: backward in 1 byte computes what a window masks.
    const bool masks = fp8_attention_ && pass.backward && pass.all_keys > pass.keys;
    const double keys = masks ? pass.all_keys : pass.keys;
    const double share = (pass.backward ? efficiency_->flash_backward : efficiency_->flash_forward) * factor * format *
                         half_at(pass.heads, efficiency_->flash_half_heads) *
                         half_at(pass.head_dim, efficiency_->flash_half_dim) *
                         half_at(2 * keys, efficiency_->flash_half_tokens);
    const double flops = masks ? pass.flops * pass.all_keys / pass.keys : pass.flops;
    return with_gaps(flops / (rest_.peak * share), pass.backward ? 2 : 1);
}

double KernelTimes::scan(const Scan& pass) const {
    const double products = pass.product_share > 0 ? pass.flops / (rest_.peak * pass.product_share) : 0;
    const double moved = traffic(pass.bytes, pass.kernels, scan_memory_share);
    return with_gaps(std::max({products, moved, pass.turns * scan_turn}), pass.kernels);
}

double KernelTimes::traffic(double bytes, double kernels) const {
    return traffic(bytes, kernels, efficiency_->memory_share);
}

double KernelTimes::traffic(double bytes, double kernels, double share) const {
    const double each = bytes / kernels;
    const double rate = bandwidth_ * share * each / (each + efficiency_->memory_half_bytes);
    return bytes > 0 ? bytes / rate : 0;
}

double KernelTimes::memory(double bytes, double kernels) const {
    return with_gaps(traffic(bytes, kernels), kernels);
}

double KernelTimes::elements(double bytes, double single) const {
    const double one_by_one = efficiency_->single_elements > 0 ? single / efficiency_->single_elements : 0;
    return with_gaps(std::max(traffic(bytes), one_by_one));
}

}  // namespace sim::training
