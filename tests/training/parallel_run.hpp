// One gradient of the transformer, computed by a team of ranks and put together again.
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
    // Of each tensor part, the whole model's gradient as far as that part has it; `held` says how far.
    std::vector<std::vector<double>> gradients;
    std::vector<std::vector<bool>> held;
    double loss = 0;
};

// Over items 0 to items - 1, in micro-batches of items / (experts * micro_batches).
ParallelRun run_parallel(const lesson::Shape& shape, const Mesh& mesh, int items, int micro_batches = 2);

// The same by one rank, in one micro-batch.
struct AloneRun {
    std::vector<double> gradient;
    double loss = 0;
};
AloneRun run_alone(const lesson::Shape& shape, int items);

}  // namespace sim::test
