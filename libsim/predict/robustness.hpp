// The robustness of a layout is how much longer its step takes when the machine is not as it should be: one GPU is
// slow, or the links are.
//
// Each is simulated, folded (folded/folded_step.hpp): what one slow GPU makes a step take, all of its stage would, as
// they wait for it wherever they meet.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/transformer.hpp"

#include <optional>

namespace sim::predict {

inline constexpr double slow_gpu_factor = 1.1;    // times as long, of its computations
inline constexpr double slow_links_factor = 0.5;  // of their rate

// Shares of the undisturbed step that it takes longer: 0.1 is 10 % more.
struct Robustness {
    double slow_gpu = 0;                    // on the stage where that costs most
    double slow_gpu_on_average = 0;         // over all stages, and so over all GPUs
    std::optional<double> slow_links;       // none: there is one GPU, or nothing between them
    bool slow_links_between_nodes = false;  // otherwise within the one node
};

// Cost: a folded simulation for each stage, and two more.
// Requires: check_layout() accepted the layout.
Robustness robustness_of(const training::Transformer& model, const training::Machine& machine,
                         const training::Layout& layout);

}  // namespace sim::predict
