// This ZeRO training step can make a different choice at every point: the mistakes of lab 10 are built from it.
#pragma once

#include "tools/labs/lab.hpp"

namespace sim::labs {

struct ZeroTraining {
    // Bytes of state per parameter.
    std::int64_t of_parameter = 2;
    std::int64_t of_gradient = 4;
    std::int64_t of_optimizer = 12;
    std::int64_t sent = 2;  // per parameter or gradient on the wire

    // The lowest ZeRO stage that shards each state.
    int spreads_optimizer = 1;
    int spreads_gradients = 2;
    int spreads_parameters = 3;

    bool gathers_in_backward = true;  // stage 3
    bool releases_after_forward = true;
    bool releases_after_backward = true;
    bool all_reduces = false;  // instead of reduce-scatters
    bool scatters = true;      // false: gradients are not communicated at all
    bool gathers_at_end = true;
    bool gathers_in_stage_3 = true;
    bool whole_model_at_once = false;  // all layers in one collective
    bool computes = true;
};

void train(GPU& gpu, const Given& given, const ZeroTraining& training);

}  // namespace sim::labs
