// A training step with ZeRO whose every decision can be another one: the mistakes of lab 10 are made of it.
#pragma once

#include "tools/labs/lab.hpp"

namespace sim::labs {

struct ZeroTraining {
    // Bytes of a parameter's states.
    std::int64_t of_parameter = 2;
    std::int64_t of_gradient = 4;
    std::int64_t of_optimizer = 12;
    std::int64_t sent = 2;  // of a parameter or a gradient on the wire

    // From this stage on a state is spread over the ranks.
    int spreads_optimizer = 1;
    int spreads_gradients = 2;
    int spreads_parameters = 3;

    bool gathers_in_backward = true;  // stage 3
    bool releases_after_forward = true;
    bool releases_after_backward = true;
    bool all_reduces = false;  // in the place of reduce-scatters
    bool scatters = true;      // or nothing at all
    bool gathers_at_end = true;
    bool gathers_in_stage_3 = true;
    bool whole_model_at_once = false;  // in one collective
    bool computes = true;
};

void train(GPU& gpu, const Given& given, const ZeroTraining& training);

}  // namespace sim::labs
