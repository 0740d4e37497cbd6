// An operator's time is the time of a framework's operator alone on an accelerator: the kernels of kernel_time.hpp,
// each with its own precision, whereas a training step has one for all.
//
// Times are whole picoseconds, rounded up. Cost: constant.
#pragma once

#include "libsim/training/kernel_time.hpp"
#include "libsim/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace sim::training {

// The elements' type and the units that multiply them: tf32 has 4-byte elements, of which tensor cores use 19 bits. The
// types from fp8 on are the formats of precision.hpp, for products whose inputs other operators have quantised.
enum class OperatorPrecision : std::uint8_t { fp32, tf32, fp16, bf16, fp8, fp8_rowwise, fp8_block, mxfp8, nvfp4 };
const char* name_of(OperatorPrecision precision);
const char* name_of(GemmKind kind);

constexpr int flash_version_of_torch = 2;  // of its flash backend, since PyTorch 2.2

class OperatorTimes {
public:
    // `flash_version`: 1 to 3, of FlashAttention, for all attention in one kernel. None: that of PyTorch for its flash
    // backend, and the newest of the GPU for cuDNN, which is as fast.
    explicit OperatorTimes(const Accelerator& gpu, std::optional<int> flash_version = {});

    // A batched product (`batch` above 1) is priced like attention's: KernelTimes::scores.
    Duration matrix_product(const Gemm& shape, GemmKind kind, OperatorPrecision precision) const;
    // Experts' products, `batch` of them in one kernel, with shape.m rows each: KernelTimes::grouped_gemm.
    Duration grouped_product(const Gemm& shape, GemmKind kind, OperatorPrecision precision,
                             double gradient_bytes = added_to_fp32) const;
    // `batch`: its groups, which run in one kernel. `bytes`: its memory traffic.
    Duration convolution(const Gemm& shape, GemmKind kind, double bytes, OperatorPrecision precision) const;
    Duration flash(const KernelTimes::Flash& pass, OperatorPrecision precision) const;
    // The version of FlashAttention that cuDNN's attention is as fast as.
    int version_of_cudnn() const { return version_of_cudnn_; }
    // As KernelTimes::elements.
    Duration memory(double bytes, double single = 0) const;
    // The host's time for one kernel in eager mode, including the views around it, and for one launched by compiled
    // code.
    Duration launch() const;
    Duration compiled_launch() const;

    // FLOP/s of the units that such a product runs on, or of those that replace missing ones.
    double peak(OperatorPrecision precision) const;
    // Has the efficiency of single operators instead of that of whole steps.
    const Accelerator& gpu() const { return *gpu_; }

private:
    const KernelTimes& kernels(OperatorPrecision precision) const;

    std::unique_ptr<const Accelerator> gpu_;  // the kernels refer to it
    std::array<KernelTimes, 9> kernels_;      // one per precision
    int version_of_cudnn_;
};

}  // namespace sim::training
