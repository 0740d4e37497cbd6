// The tally adds up the matrix products and attention launched on the GPU since the beginning.
#pragma once

#include "tools/torch/prices/work.hpp"

namespace sim::torch::prices {

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
