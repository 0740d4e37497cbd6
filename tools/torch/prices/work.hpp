// The work of a call is the kernels that CUDA launches for it: what each of them takes, and what they have to show for
// it.
#pragma once

#include "libsim/units.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sim::torch::prices {

inline constexpr const char* memory_traffic = "memory traffic";

// What the GPU's time goes to.
enum class Category : std::uint8_t {
    products,  // of matrices, convolutions among them
    attention,
    passes,     // over memory: norms, element by element, moves
    optimizer,  // an optimizer's kernels over lists of tensors
    copies,     // which no operator is: within a GPU, and with its host and others
};
inline constexpr std::size_t categories = 5;

// What a kernel adds to the sums of its run, beside its time.
struct Share {
    Category category = Category::passes;
    double flops = 0;    // of products and attention
    double at_peak = 0;  // seconds that these take at the peak of their type

    friend auto operator<=>(const Share&, const Share&) = default;
};

struct Work {
    std::vector<Duration> kernels = {};  // one after the other; none: nothing is to be done
    std::string how = "";
    double done = 0;     // FLOPs, or bytes
    double at_most = 1;  // of these, in a second
    double flops = 0;    // of products and attention
    Category category = Category::passes;

    friend auto operator<=>(const Work&, const Work&) = default;
};

}  // namespace sim::torch::prices
