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
    optimizer,  // all kernels in a step of an optimizer, and those over lists of tensors anywhere
    copies,     // which no operator is: within a GPU, and with its host and others
};
inline constexpr std::size_t categories = 5;
const char* name_of(Category category);  // "products", as JSON has it
// As the simulator carries it with each kernel; what a program computes for itself has 0.
constexpr int purpose_of(Category category) {
    return 1 + static_cast<int>(category);
}

// What a kernel adds to the sums of its run, beside its time.
struct Share {
    Category category = Category::passes;
    double flops = 0;    // of products and attention
    double at_peak = 0;  // seconds that these take at the peak of their type
    double again = 0;    // share of these that the forward pass has computed before

    friend auto operator<=>(const Share&, const Share&) = default;
};

struct Work {
    std::vector<Duration> kernels = {};  // one after the other; none: nothing is to be done
    std::string how = "";
    double done = 0;     // FLOPs, or bytes
    double at_most = 1;  // of these, in a second
    double flops = 0;    // of products and attention
    double again = 0;    // share of these that the forward pass has computed before: attention keeps no scores
    Category category = Category::passes;

    friend auto operator<=>(const Work&, const Work&) = default;
};

}  // namespace sim::torch::prices
