// The work of a call is the kernels that CUDA launches for it: what each of them takes, and what they have to show for
// it.
#pragma once

#include "libsim/units.hpp"

#include <compare>
#include <string>
#include <vector>

namespace sim::torch::prices {

inline constexpr const char* memory_traffic = "memory traffic";

struct Work {
    std::vector<Duration> kernels = {};  // one after the other; none: nothing is to be done
    std::string how = "";
    double done = 0;     // FLOPs, or bytes
    double at_most = 1;  // of these, in a second

    friend auto operator<=>(const Work&, const Work&) = default;
};

}  // namespace sim::torch::prices
