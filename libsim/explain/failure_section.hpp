// The sections on failures of a predicted step and of a scenario's run share these parts: what dies, which ranks wait,
// what work is lost, and how to resume.
#pragma once

#include "libsim/explain/input_section.hpp"

#include <cstdint>
#include <string>

namespace sim::explain {

// torch.distributed's default time-out for the process group of the GPUs, in seconds.
inline constexpr double collective_times_out_after = 600;

struct FailureSituation {
    InputPipeline input;
    int gpus = 1;
    int gpus_per_node = 1;
    double checkpoint_seconds = 0;
    std::string collectives = "NCCL";  // the library that runs them; empty: none
};

// Adds a table with one line per thing that can be killed, and the figures that its sentences use.
void add_failures(Section& section, const FailureSituation& situation);

}  // namespace sim::explain
