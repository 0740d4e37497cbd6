#include "libsim/model/kernel_time.hpp"

#include <algorithm>
#include <cmath>

namespace sim::model {

namespace {

constexpr double tile = 64;  // of a tensor core's block: sides that are no multiple waste part of one

bool is_aligned(double side) {
    return std::fmod(side, tile) == 0;
}

Precision without_fp8(Precision precision) {
    return precision == Precision::fp8 ? Precision::bf16 : precision;
}

}  // namespace

KernelTimes::KernelTimes(const Accelerator& gpu, const Layout& layout)
    : efficiency_(&gpu.efficiency),
      peak_(gpu.peak(without_fp8(layout.precision))),
      fp8_peak_(layout.precision == Precision::fp8 ? gpu.fp8_flops : 0),
      bandwidth_(gpu.memory_bandwidth),
      floor_(gpu.efficiency.kernel_floor),
      element_bytes_(layout.precision == Precision::fp32 ? 4 : 2) {}

double KernelTimes::at_least_launched(double seconds, double kernels) const {
    return std::max(seconds + kernels * efficiency_->kernel_gap, kernels * floor_);
}

double KernelTimes::share_of_gemm(const Gemm& shape, double peak_share, double half_flops) const {
    const double size = std::pow(half_flops / (shape.flops() + 1), efficiency_->gemm_exponent);
    const double shortest = std::min({shape.m, shape.n, shape.k});
    const double sides = shortest / (shortest + efficiency_->gemm_half_side);
    const bool aligned = is_aligned(shape.n) && is_aligned(shape.k);
    return peak_share / (1 + size) * sides * (aligned ? 1 : efficiency_->gemm_unaligned);
}

double KernelTimes::gemm(const Gemm& shape, GemmKind kind) const {
    const bool fp8 = fp8_peak_ > 0;
    const double inputs = shape.m * shape.k + shape.k * shape.n;
    double share = fp8 ? share_of_gemm(shape, efficiency_->fp8_peak, efficiency_->fp8_half_flops)
                       : share_of_gemm(shape, efficiency_->gemm_peak, efficiency_->gemm_half_flops);
    if (kind == GemmKind::weight_gradient) {
        share *= efficiency_->gemm_weight_gradient;
    }
    const double arithmetic = shape.flops() / (share * (fp8 ? fp8_peak_ : peak_));
    const double bytes = inputs * (fp8 ? 1 : element_bytes_) + shape.m * shape.n * element_bytes_;
    const double traffic = bytes / (bandwidth_ * efficiency_->memory_share);
    const double product = at_least_launched(std::max(arithmetic, traffic));
    // The activations alone: weights are quantised once for all micro-batches.
    return fp8 ? product + efficiency_->fp8_casts * memory(3 * shape.m * shape.k) : product;
}

double KernelTimes::grouped_gemm(const Gemm& shape, GemmKind kind) const {
    const bool fp8 = fp8_peak_ > 0;
    const Gemm one{shape.m, shape.n, shape.k, 1};
    Gemm all = shape;
    const double size = std::pow((fp8 ? efficiency_->fp8_half_flops : efficiency_->gemm_half_flops) / (all.flops() + 1),
                                 efficiency_->gemm_exponent);
    const double shortest = std::min({one.m, one.n, one.k});
    double share = (fp8 ? efficiency_->fp8_peak : efficiency_->gemm_peak) / (1 + size) * efficiency_->gemm_grouped *
                   shortest / (shortest + efficiency_->grouped_half_rows);
    if (kind == GemmKind::weight_gradient) {
        share *= efficiency_->gemm_weight_gradient;
    }
    const double arithmetic = shape.flops() / (share * (fp8 ? fp8_peak_ : peak_));
    const double weights = shape.batch * shape.k * shape.n;
    const double rows = shape.batch * shape.m * (shape.k + shape.n);
    const double bytes =
        (weights + rows) * (fp8 ? 1.5 : element_bytes_) + (kind == GemmKind::weight_gradient ? 4 * weights : 0);
    const double traffic = bytes / (bandwidth_ * efficiency_->memory_share);
    const double product = at_least_launched(std::max(arithmetic, traffic));
    return fp8 ? product + efficiency_->fp8_casts * memory(3 * shape.batch * shape.m * shape.k) : product;
}

double KernelTimes::scores(const Gemm& shape) const {
    const double arithmetic = shape.flops() / (peak_ * efficiency_->scores_gemm);
    const double bytes = shape.batch * (shape.m * shape.k + shape.k * shape.n + shape.m * shape.n) * element_bytes_;
    const double traffic = bytes / (bandwidth_ * efficiency_->memory_share);
    return at_least_launched(std::max(arithmetic, traffic));
}

double KernelTimes::flash(double flops, double heads, double tokens, bool backward) const {
    const double share = (backward ? efficiency_->flash_backward : efficiency_->flash_forward) * heads /
                         (heads + efficiency_->flash_half_heads) * tokens / (tokens + efficiency_->flash_half_tokens);
    return at_least_launched(flops / (peak_ * share), backward ? 2 : 1);
}

double KernelTimes::memory(double bytes, double kernels) const {
    const double each = bytes / kernels;
    const double rate = bandwidth_ * efficiency_->memory_share * each / (each + efficiency_->memory_half_bytes);
    return at_least_launched(bytes > 0 ? bytes / rate : 0, kernels);
}

}  // namespace sim::model
