// One gradient of the transformer, computed by a team of ranks and reassembled.
#pragma once

#include "scenarios/lesson/transformer/alone.hpp"
#include "scenarios/lesson/transformer/stage.hpp"
#include "tests/support/team.hpp"

#include <vector>

namespace sim::test {

struct Mesh {
    int tensor = 1;
    int context = 1;
    int experts = 1;
    int pipeline = 1;
    bool sequence_parallel = false;
    bool split_backward = false;  // all of backward_input before all of backward_weight

    int ranks() const { return tensor * context * experts * pipeline; }
};

struct ParallelRun {
    // One gradient of the whole model per tensor part, filled in where `held` says that the part has it.
    std::vector<std::vector<double>> gradients;
    std::vector<std::vector<bool>> held;
    double loss = 0;
};

// Runs items 0 to items - 1, in micro-batches of items / (experts * micro_batches).
ParallelRun run_parallel(const lesson::Shape& shape, const Mesh& mesh, int items, int micro_batches = 2);

// The same by one rank, as a single micro-batch.
struct AloneRun {
    std::vector<double> gradient;
    double loss = 0;
};
AloneRun run_alone(const lesson::Shape& shape, int items);

}  // namespace sim::test
