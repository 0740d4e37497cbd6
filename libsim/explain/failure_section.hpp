// What the sections on failures of a predicted step and of a scenario's run have in common: what dies, who waits, what
// is lost, and how to go on.
#pragma once

#include "libsim/explain/input_section.hpp"

#include <cstdint>
#include <string>

namespace sim::explain {

// torch.distributed, the default time-out of the process group of GPUs, in seconds.
inline constexpr double collective_times_out_after = 600;

struct FailureSituation {
    InputPipeline input;
    int gpus = 1;
    int gpus_per_node = 1;
    double checkpoint_seconds = 0;
    std::string collectives = "NCCL";  // the library that carries them out; empty: none
};

// A table with a line for each thing that can be killed, and the figures that its sentences name.
void add_failures(Section& section, const FailureSituation& situation);

}  // namespace sim::explain
