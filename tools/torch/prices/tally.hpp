// The tally adds up what the GPU has been given to do since the beginning: its time by what it goes to, and what it
// multiplies.
#pragma once

#include "libsim/units.hpp"
#include "tools/torch/prices/work.hpp"

#include <array>
#include <cstddef>

namespace sim::torch::prices {

struct Tally {
    std::array<Duration, categories> time{};
    double flops = 0;        // of products and attention
    double at_peak = 0;      // seconds that these take at the peak of the type in which they are multiplied
    double recomputed = 0;   // of at_peak: what is not the model's, but computed once more or by an optimizer
    double flops_again = 0;  // of flops, likewise

    void add(const Share& share, Duration took, bool is_the_models) {
        const double others = is_the_models ? share.again : 1;
        time.at(static_cast<std::size_t>(share.category)) += took;
        flops += share.flops;
        at_peak += share.at_peak;
        recomputed += others * share.at_peak;
        flops_again += others * share.flops;
    }
    Tally& operator+=(const Tally& other) {
        for (std::size_t at = 0; at < time.size(); ++at) {
            time.at(at) += other.time.at(at);
        }
        flops += other.flops;
        at_peak += other.at_peak;
        recomputed += other.recomputed;
        flops_again += other.flops_again;
        return *this;
    }
};

}  // namespace sim::torch::prices
