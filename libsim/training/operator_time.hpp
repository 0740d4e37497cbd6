// An operator's time is what a framework's operator takes alone on an accelerator: the kernels of kernel_time.hpp, each
// in a precision of its own, where a training step has one for all.
//
// In whole picoseconds, rounded up. Cost: constant.
#pragma once

#include "libsim/training/kernel_time.hpp"
#include "libsim/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace sim::training {

// Elements, and the units that multiply them: tf32 has elements of 4 bytes, and tensor cores that take 19 bits of them.
// From fp8 on they are the formats of precision.hpp, into which other operators have brought a product's inputs.
enum class OperatorPrecision : std::uint8_t { fp32, tf32, fp16, bf16, fp8, fp8_rowwise, fp8_block, mxfp8, nvfp4 };
const char* name_of(OperatorPrecision precision);
const char* name_of(GemmKind kind);

constexpr int flash_version_of_torch = 2;  // scaled_dot_product_attention, since PyTorch 2.2

class OperatorTimes {
public:
    // `flash_version`: of FlashAttention, 1 to 3.
    explicit OperatorTimes(const Accelerator& gpu, int flash_version = flash_version_of_torch);

    // Several side by side (`batch`) are priced as those of attention are: KernelTimes::scores.
    Duration matrix_product(const Gemm& shape, GemmKind kind, OperatorPrecision precision) const;
    // Experts' products, `batch` of them in one kernel, each of which has so many rows: KernelTimes::grouped_gemm.
    Duration grouped_product(const Gemm& shape, GemmKind kind, OperatorPrecision precision) const;
    // `batch`: its groups, which all run in one kernel. `bytes`: what it reads and writes.
    Duration convolution(const Gemm& shape, GemmKind kind, double bytes, OperatorPrecision precision) const;
    Duration flash(const KernelTimes::Flash& pass, OperatorPrecision precision) const;
    // KernelTimes::elements.
    Duration memory(double bytes, double single = 0) const;
    // What the host needs for one kernel in eager mode, with the views around it; and for one that compiled code
    // launches.
    Duration launch() const;
    Duration compiled_launch() const;

    // FLOP/s of the units that such a product runs on; where there are none of its own, those that stand in for them.
    double peak(OperatorPrecision precision) const;
    // With the efficiency of single operators in the place of that of whole steps.
    const Accelerator& gpu() const { return *gpu_; }

private:
    const KernelTimes& kernels(OperatorPrecision precision) const;

    std::unique_ptr<const Accelerator> gpu_;  // the kernels refer to it
    std::array<KernelTimes, 9> kernels_;      // of each precision
};

}  // namespace sim::training
