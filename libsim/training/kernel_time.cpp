#include "libsim/training/kernel_time.hpp"

#include <algorithm>
#include <cmath>

namespace sim::training {

namespace {

constexpr double vector_width = 8;  // elements of a load that tensor cores are fed with
constexpr double tile = 64;         // of a tensor core's block: sides that are no multiple waste part of one

bool is_aligned(double side) {
    return std::fmod(side, tile) == 0;
}

// 0 … 1, and 1/2 at `half`.
double half_at(double size, double half) {
    return size / (size + half);
}

double factor_of_version(const Efficiency& efficiency, int version) {
    return version == 1 ? efficiency.flash_first : version == 2 ? 1 : efficiency.flash_third;
}

Precision without_fp8(Precision precision) {
    return precision == Precision::fp8 ? Precision::bf16 : precision;
}

}  // namespace

KernelTimes::KernelTimes(const Accelerator& gpu, const Layout& layout)
    : efficiency_(&gpu.efficiency),
      peak_(gpu.sustained(without_fp8(layout.numerics.precision))),
      fp8_peak_(layout.numerics.precision == Precision::fp8
                    ? gpu.sustained(Precision::fp8) * (layout.numerics.fp8_rowwise ? gpu.efficiency.fp8_rowwise : 1)
                    : 0),
      bandwidth_(gpu.memory_bandwidth),
      element_bytes_(layout.numerics.precision == Precision::fp32 ? 4 : 2),
      flash_factor_(factor_of_version(gpu.efficiency, layout.framework.flash_version)) {}

KernelTimes::KernelTimes(const Accelerator& gpu, double peak, double element_bytes, int flash_version)
    : efficiency_(&gpu.efficiency),
      peak_(peak),
      fp8_peak_(0),
      bandwidth_(gpu.memory_bandwidth),
      element_bytes_(element_bytes),
      flash_factor_(factor_of_version(gpu.efficiency, flash_version)) {}

double KernelTimes::with_gaps(double seconds, double kernels) const {
    return seconds + kernels * efficiency_->kernel_gap;
}

double KernelTimes::share_of_gemm(const Gemm& shape, double peak_share, double half_flops) const {
    const double size = std::pow(half_flops / (shape.flops() + 1), efficiency_->gemm_exponent);
    const double sides = half_at(std::min({shape.m, shape.n, shape.k}), efficiency_->gemm_half_side);
    const bool aligned = is_aligned(shape.n) && is_aligned(shape.k);
    return peak_share / (1 + size) * sides * (aligned ? 1 : efficiency_->gemm_unaligned);
}

double KernelTimes::product(const Gemm& shape, GemmKind kind, double bytes) const {
    const bool fp8 = fp8_peak_ > 0;
    double share = fp8 ? share_of_gemm(shape, efficiency_->fp8_peak, efficiency_->fp8_half_flops)
                       : share_of_gemm(shape, efficiency_->gemm_peak, efficiency_->gemm_half_flops);
    if (kind == GemmKind::weight_gradient) {
        share *= efficiency_->gemm_weight_gradient;
    }
    const double arithmetic = shape.flops() / (share * (fp8 ? fp8_peak_ : peak_));
    const double traffic = bytes / (bandwidth_ * efficiency_->memory_share);
    return with_gaps(std::max(arithmetic, traffic));
}

double KernelTimes::gemm(const Gemm& shape, GemmKind kind) const {
    const bool fp8 = fp8_peak_ > 0;
    const double inputs = shape.m * shape.k + shape.k * shape.n;
    const double time = product(shape, kind, inputs * (fp8 ? 1 : element_bytes_) + shape.m * shape.n * element_bytes_);
    // The activations alone: weights are quantised once for all micro-batches.
    return fp8 ? time + efficiency_->fp8_casts * memory(3 * shape.m * shape.k) : time;
}

double KernelTimes::convolution(const Gemm& shape, GemmKind kind, double bytes) const {
    return product(shape, kind, bytes);
}

double KernelTimes::grouped_gemm(const Gemm& shape, GemmKind kind) const {
    const bool fp8 = fp8_peak_ > 0;
    const double half_flops = fp8 ? efficiency_->fp8_half_flops : efficiency_->gemm_half_flops;
    const double size = std::pow(half_flops / (shape.flops() + 1), efficiency_->gemm_exponent);
    const double rows = half_at(std::min({shape.m, shape.n, shape.k}), efficiency_->grouped_half_rows);
    double share =
        (fp8 ? efficiency_->fp8_peak : efficiency_->gemm_peak) / (1 + size) * efficiency_->gemm_grouped * rows;
    if (kind == GemmKind::weight_gradient) {
        share *= efficiency_->gemm_weight_gradient;
    }
    const double arithmetic = shape.flops() / (share * (fp8 ? fp8_peak_ : peak_));
    const double weights = shape.batch * shape.k * shape.n;
    const double activations = shape.batch * shape.m * (shape.k + shape.n);
    const double bytes =
        (weights + activations) * (fp8 ? 1.5 : element_bytes_) + (kind == GemmKind::weight_gradient ? 4 * weights : 0);
    const double traffic = bytes / (bandwidth_ * efficiency_->memory_share);
    const double product = with_gaps(std::max(arithmetic, traffic));
    return fp8 ? product + efficiency_->fp8_casts * memory(3 * shape.batch * shape.m * shape.k) : product;
}

double KernelTimes::scores(const Gemm& shape) const {
    const bool aligned = std::fmod(shape.n, vector_width) == 0 && std::fmod(shape.k, vector_width) == 0;
    const double share = efficiency_->scores_gemm * (aligned ? 1 : efficiency_->gemm_unaligned);
    const double arithmetic = shape.flops() / (peak_ * share);
    const double bytes = shape.batch * (shape.m * shape.k + shape.k * shape.n + shape.m * shape.n) * element_bytes_;
    const double traffic = bytes / (bandwidth_ * efficiency_->memory_share);
    return with_gaps(std::max(arithmetic, traffic));
}

double KernelTimes::flash(const Flash& pass) const {
    const double share = (pass.backward ? efficiency_->flash_backward : efficiency_->flash_forward) * flash_factor_ *
                         half_at(pass.heads, efficiency_->flash_half_heads) *
                         half_at(pass.head_dim, efficiency_->flash_half_dim) *
                         half_at(pass.tokens, efficiency_->flash_half_tokens);
    return with_gaps(pass.flops / (peak_ * share), pass.backward ? 2 : 1);
}

double KernelTimes::memory(double bytes, double kernels) const {
    const double each = bytes / kernels;
    const double rate = bandwidth_ * efficiency_->memory_share * each / (each + efficiency_->memory_half_bytes);
    return with_gaps(bytes > 0 ? bytes / rate : 0, kernels);
}

}  // namespace sim::training
