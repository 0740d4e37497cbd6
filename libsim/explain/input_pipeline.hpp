// The input pipeline brings batches to one GPU. It is simulated as rank programs of the kernel: workers read and
// decode, a thread copies into pinned memory, the training process copies to the GPU, and the GPU computes.
//
// It models PyTorch's loader: batch i belongs to worker (i mod workers); each worker has `prefetch` batches requested
// in advance, and one more whenever the training process takes one; batches are taken in order. A copy that overlaps
// the computation is one batch ahead at most. The average time per batch on the GPU is then
//   without workers   load + copy + compute
//   with workers      the maximum of  compute + copy (overlapped: compute, copy),  pin,  load / workers,
//                     (load + pin) / (workers x prefetch)
// and the simulation reproduces it exactly.
#pragma once

#include "libsim/units.hpp"

#include <optional>
#include <vector>

namespace sim::explain {

struct InputPipeline {
    Duration load{0};  // one worker reads and decodes a batch
    Duration pin{0};   // a batch is copied into pinned memory; 0: it is not
    Duration copy{0};  // a batch is copied to the GPU
    Duration compute{0};
    int workers = 0;  // 0: the training process loads each batch itself, on demand
    int prefetch = 2;
    bool copies_beside = false;  // overlaps the computation of the previous batch
};

// A worker that dies after it has delivered `batches` batches of its own.
struct LostWorker {
    int worker = 0;
    int batches = 0;
};

struct Interval {
    Time begin;
    Time end;
};

struct InputRun {
    std::vector<Interval> loads;     // by batch: when its worker loads it
    std::vector<Interval> computes;  // by batch: when the GPU computes it; with a lost worker only those that happen
    std::vector<Time> taken;         // by batch: when the training process takes it
    std::optional<Time> dry;         // with a lost worker: when the GPU has computed all that can ever arrive
};

// Requires: at least 1 batch, no negative durations.
InputRun run_input(const InputPipeline& pipeline, int batches, std::optional<LostWorker> lost = std::nullopt);

// Steady state: the time between the starts of two computations `batches` apart, so that it is a whole number.
struct SteadyInput {
    Duration span{0};
    int batches = 1;
    double seconds_each() const { return seconds(span) / batches; }
};
SteadyInput steady_input(const InputPipeline& pipeline);
// The closed form above, in seconds.
double closed_form_seconds(const InputPipeline& pipeline);
// Idle share of the GPU's time in steady state.
double idle_share(const InputPipeline& pipeline, const SteadyInput& steady);

}  // namespace sim::explain
