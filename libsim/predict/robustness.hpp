// The robustness of a layout is how much longer its step takes if the machine degrades: one GPU is slow, or the links
// are.
//
// Each case is simulated, folded (folded/folded_step.hpp): one slow GPU makes the step as long as if its whole stage
// were slow, because the others of the stage wait for it wherever they meet.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/transformer.hpp"

#include <optional>

namespace sim::predict {

inline constexpr double slow_gpu_factor = 1.1;    // factor on the time of its computations
inline constexpr double slow_links_factor = 0.5;  // factor on their rate

// Increase of the step, as a share of the undisturbed step: 0.1 is 10 % more.
struct Robustness {
    double slow_gpu = 0;                    // on the stage where it costs most
    double slow_gpu_on_average = 0;         // over all stages, and thus over all GPUs
    std::optional<double> slow_links;       // none: only one GPU, or no links between GPUs
    bool slow_links_between_nodes = false;  // otherwise within the one node
};

// Cost: one folded simulation per stage, and two more. Requires: check_layout() accepted the layout.
Robustness robustness_of(const training::Transformer& model, const training::Machine& machine,
                         const training::Layout& layout);

}  // namespace sim::predict
