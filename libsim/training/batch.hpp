// A batch says how many sequences a training step processes, and how many at a time.
#pragma once

namespace sim::training {

// A step has global / (dp x micro) micro-batches per pipeline; check_layout() makes sure that the division is exact.
struct Batch {
    int micro = 1;   // sequences that a rank takes through its layers at a time
    int global = 1;  // sequences of a step, over all data-parallel ranks

    friend bool operator==(const Batch&, const Batch&) = default;
};

}  // namespace sim::training
