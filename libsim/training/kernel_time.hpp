// A roofline gives the time of one kernel on an accelerator; its roofs depend on the kernel's shape.
//
// All times are seconds. A kernel takes the longer of its arithmetic and its memory traffic, plus a gap to the next.
// The host's launch time is counted per layer: block_time.hpp. The shares of peak are Efficiency's.
#pragma once

#include "libsim/training/machine.hpp"

namespace sim::training {

// C[m, n] += A[m, k] B[k, n], as a batch of `batch` products.
struct Gemm {
    double m = 0;
    double n = 0;
    double k = 0;
    double batch = 1;

    double flops() const { return 2 * m * n * k * batch; }
};

enum class GemmKind : std::uint8_t { forward, input_gradient, weight_gradient };

// The format of a product in quantised training: that of the precision, or that of the rest of the model (the router,
// the logits).
enum class Format : std::uint8_t { products, rest };

// The widths of an attention head, which determine its multiplications per pair of query and key.
struct AttentionHead {
    double keys = 0;  // and of queries
    double values = 0;

    // Scores and values; the backward pass recomputes the scores and has both gradients of scores and of values.
    double forward() const { return keys + values; }
    double backward() const { return 3 * keys + 2 * values; }
};

// Bytes for each weight of a gradient that a product adds to a sum in fp32.
constexpr double added_to_fp32 = 8;

class KernelTimes {
public:
    KernelTimes(const Accelerator& gpu, const Layout& layout);
    // For kernels whose units reach `peak` FLOP/s on elements of `element_bytes`: operator_time.hpp.
    KernelTimes(const Accelerator& gpu, double peak, double element_bytes, int flash_version);
    // For products in a format whose inputs are already quantised.
    KernelTimes(const Accelerator& gpu, Precision quantised, int flash_version);

    // A linear layer's product, including the quantisation of its inputs: the activation in the forward pass, and the
    // gradient at its first use, in the input-gradient product. Weights are quantised once for all micro-batches.
    double gemm(const Gemm& shape, GemmKind kind, Format format = Format::products, double layers = 1) const;
    // A convolution, whose im2col matrix is never materialised: `bytes` is its memory traffic.
    double convolution(const Gemm& shape, GemmKind kind, double bytes) const;
    // Experts' products, `batch` of them, in one kernel. A weight gradient moves `gradient_bytes` for each weight.
    double grouped_gemm(const Gemm& shape, GemmKind kind, double gradient_bytes = added_to_fp32) const;
    // Attention's scores or values without flash attention, over `batch` heads, without the softmax.
    double scores(const Gemm& shape) const;
    // Flash attention: one pass over the heads of this rank.
    struct Flash {
        double flops = 0;
        double heads = 0;
        double head_dim = 0;  // of the values: wider keys do not make it faster
        double keys = 0;      // keys per query, on average: half of a causal sequence, at most a window
        double all_keys = 0;  // the same without the window; 0: there is none
        bool backward = false;
        int version = 0;  // FlashAttention version; 0: the constructor's
    };
    double flash(const Flash& pass) const;
    // Kernels of a scan of linear attention, which wait for products, for the memory, or for each other's chunks.
    struct Scan {
        double flops = 0;
        double product_share = 0;  // of the matrix units' peak; 0: products hide behind the traffic
        double turns = 0;          // loads and products that wait for each other
        double bytes = 0;
        double kernels = 1;
    };
    double scan(const Scan& pass) const;
    // A memory-bound operation that reads and writes `bytes`, in `kernels` kernels.
    double memory(double bytes, double kernels = 1) const;
    // One memory-bound kernel that reads and writes `bytes`, of which `single` elements are accessed one by one.
    double elements(double bytes, double single) const;

private:
    // Matrix units and the efficiency they reach.
    struct Multiplier {
        double peak = 0;  // FLOP/s, of which kernels reach a share
        double share = 0;
        double half_flops = 0;
        double input_bytes = 0;  // per element
        double cast_bytes = 0;   // to quantise one element
        double weight_cast_bytes = 0;
        bool by_layer = false;
    };
    static Multiplier multiplier_of(const Accelerator& gpu, Precision precision);
    double with_gaps(double seconds, double kernels = 1) const;
    double traffic(double bytes, double kernels = 1) const;
    double traffic(double bytes, double kernels, double share) const;
    double share_of_gemm(const Gemm& shape, const Multiplier& units) const;
    double product(const Gemm& shape, GemmKind kind, double bytes, const Multiplier& units) const;
    double cast(double elements, double weights, GemmKind kind, const Multiplier& units) const;

    const Efficiency* efficiency_;
    double element_bytes_;
    Multiplier rest_;
    Multiplier products_;
    double bandwidth_;
    double flash_factor_;  // of the constructor's version
    bool fp8_attention_ = false;
};

}  // namespace sim::training
