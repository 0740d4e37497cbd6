// The work of a call is the kernels that CUDA launches for it: the time of each, and the FLOPs or bytes that they do.
#pragma once

#include "libsim/units.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sim::torch::prices {

inline constexpr const char* memory_traffic = "memory traffic";

// Categories of GPU time.
enum class Category : std::uint8_t {
    products,  // matrix products, including convolutions
    attention,
    passes,     // over memory: norms, element-wise operators, moves
    optimizer,  // all kernels in an optimizer's step, and kernels over lists of tensors anywhere
    copies,     // not operators: within a GPU, with its host, and between GPUs
};
inline constexpr std::size_t categories = 5;
const char* name_of(Category category);  // "products", as in JSON
// The purpose that the simulator carries with each kernel; 0 is a program's own computation.
constexpr int purpose_of(Category category) {
    return 1 + static_cast<int>(category);
}

// The contribution of a kernel to the sums of its run, besides its time.
struct Share {
    Category category = Category::passes;
    double flops = 0;    // of products and attention
    double at_peak = 0;  // seconds of these at the peak rate of their type
    double again = 0;    // share of these that is recomputation

    friend auto operator<=>(const Share&, const Share&) = default;
};

struct Work {
    std::vector<Duration> kernels = {};  // run in sequence; empty: nothing to do
    std::string how = "";
    double done = 0;     // FLOPs, or bytes
    double at_most = 1;  // peak rate of these per second
    double flops = 0;    // of products and attention
    double again = 0;    // share of these that recomputes the forward pass: attention keeps no scores
    Category category = Category::passes;

    friend auto operator<=>(const Work&, const Work&) = default;
};

// The tally adds up the matrix products and attention launched on the GPU since the beginning.
struct Tally {
    double flops = 0;          // of products and attention
    double flops_again = 0;    // of these, recomputation and the optimizer's, which are not the model's
    double at_peak = 0;        // seconds of `flops` at the peak rate of their type
    double again_at_peak = 0;  // seconds of `flops_again`, likewise

    void add(const Share& share, bool is_the_models) {
        const double again = is_the_models ? share.again : 1;
        *this += {share.flops, again * share.flops, share.at_peak, again * share.at_peak};
    }
    Tally& operator+=(const Tally& other) {
        flops += other.flops;
        flops_again += other.flops_again;
        at_peak += other.at_peak;
        again_at_peak += other.again_at_peak;
        return *this;
    }
};

}  // namespace sim::torch::prices
