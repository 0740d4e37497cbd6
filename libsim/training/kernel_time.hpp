// A roofline gives the time of one kernel on an accelerator; its roofs depend on the kernel's shape.
//
// All in seconds. A kernel takes what its arithmetic or its memory traffic takes, whichever is longer, and a gap to the
// next. What the host needs to launch them counts by the layer: block_time.hpp. The shares are Efficiency's.
#pragma once

#include "libsim/training/machine.hpp"

namespace sim::training {

// C[m, n] += A[m, k] B[k, n], `batch` times side by side.
struct Gemm {
    double m = 0;
    double n = 0;
    double k = 0;
    double batch = 1;

    double flops() const { return 2 * m * n * k * batch; }
};

enum class GemmKind : std::uint8_t { forward, input_gradient, weight_gradient };

// In what a product is computed where a training quantises: in the format of its precision, or in what the rest of the
// model is computed in (the router, the logits).
enum class Format : std::uint8_t { products, rest };

// The widths of a head of attention, which decide its multiplications for each query and key that meet.
struct AttentionHead {
    double keys = 0;  // and queries
    double values = 0;

    // Scores and values; backward the scores once more, and both gradients of scores and of values.
    double forward() const { return keys + values; }
    double backward() const { return 3 * keys + 2 * values; }
};

class KernelTimes {
public:
    KernelTimes(const Accelerator& gpu, const Layout& layout);
    // Of kernels whose units make `peak` FLOP/s of elements of so many bytes: operator_time.hpp.
    KernelTimes(const Accelerator& gpu, double peak, double element_bytes, int flash_version);
    // Of products in a format whose inputs somebody else has brought into it.
    KernelTimes(const Accelerator& gpu, Precision quantised, int flash_version);

    // A linear layer's product, with what it takes to quantise its inputs: the activation in the forward pass, and the
    // gradient where it is used first, in the product that makes the input's. Weights are quantised once for all
    // micro-batches.
    double gemm(const Gemm& shape, GemmKind kind, Format format = Format::products) const;
    // A convolution, whose product is never laid out in memory: `bytes` is what it reads and writes.
    double convolution(const Gemm& shape, GemmKind kind, double bytes) const;
    // Experts' products, `batch` of them, in one kernel.
    double grouped_gemm(const Gemm& shape, GemmKind kind) const;
    // Attention's scores or values without flash attention: `batch` heads. Not the softmax.
    double scores(const Gemm& shape) const;
    // Flash attention: one pass over the heads of this rank.
    struct Flash {
        double flops = 0;
        double heads = 0;
        double head_dim = 0;  // of the values: wider keys make it no faster
        double keys = 0;      // that a query meets, on average: half of a causal sequence, at most a window
        bool backward = false;
        int version = 0;  // of FlashAttention; 0: that of the constructor
    };
    double flash(const Flash& pass) const;
    // Reads and writes `bytes`, in `kernels` kernels.
    double memory(double bytes, double kernels = 1) const;
    // Reads and writes `bytes` in one kernel, and `single` elements of these one by one.
    double elements(double bytes, double single) const;

private:
    // What multiplies, and how well.
    struct Multiplier {
        double peak = 0;  // FLOP/s, of which kernels reach a share
        double share = 0;
        double half_flops = 0;
        double input_bytes = 0;  // of an element
        double cast_bytes = 0;   // to quantise one
    };
    static Multiplier multiplier_of(const Accelerator& gpu, Precision precision);
    double with_gaps(double seconds, double kernels = 1) const;
    double traffic(double bytes, double kernels = 1) const;
    double share_of_gemm(const Gemm& shape, const Multiplier& units) const;
    double product(const Gemm& shape, GemmKind kind, double bytes, const Multiplier& units) const;
    double cast(double elements, GemmKind kind, const Multiplier& units) const;

    const Efficiency* efficiency_;
    double element_bytes_;
    Multiplier rest_;
    Multiplier products_;
    double bandwidth_;
    double flash_factor_;  // of the kernel's version
};

}  // namespace sim::training
