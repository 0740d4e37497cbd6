// The input pipeline brings batches to one GPU. It is simulated as rank programs of the kernel: workers read and
// decode, a thread copies into pinned memory, the training process copies to the GPU, and the GPU computes.
//
// It is the loader of PyTorch: batch i is worker (i mod workers)'s; each worker is asked for `prefetch` batches in
// advance, and for one more whenever the training process takes one; batches are taken in order. A copy beside the
// computation is one batch ahead, no more. Between two batches the GPU then needs, on average,
//   without workers   load + copy + compute
//   with them         the largest of  compute + copy (beside it: compute, copy),  pin,  load / workers,
//                     (load + pin) / (workers x prefetch)
// which the simulation gives exactly.
#pragma once

#include "libsim/units.hpp"

#include <optional>
#include <vector>

namespace sim::explain {

struct InputPipeline {
    Duration load{0};  // of a batch by one worker: reading and decoding
    Duration pin{0};   // of a batch, into pinned memory; 0: it is not copied there
    Duration copy{0};  // of a batch, to the GPU
    Duration compute{0};
    int workers = 0;  // 0: the training process loads each batch itself, when it needs it
    int prefetch = 2;
    bool copies_beside = false;  // the computation of the batch before
};

// A worker that dies once it has handed over so many batches of its own.
struct LostWorker {
    int worker = 0;
    int batches = 0;
};

struct Interval {
    Time begin;
    Time end;
};

struct InputRun {
    std::vector<Interval> loads;     // by batch: its worker, busy with it
    std::vector<Interval> computes;  // by batch: the GPU, busy with it. Of a lost worker only those that came about
    std::vector<Time> taken;         // by batch: the training process took it
    std::optional<Time> dry;         // with a lost worker: the GPU has computed all that can ever come
};

// Requires: 1 batch or more, no duration below 0.
InputRun run_input(const InputPipeline& pipeline, int batches, std::optional<LostWorker> lost = std::nullopt);

// In the long run: between the beginnings of two computations, times `per` batches, so that it is a whole number.
struct SteadyInput {
    Duration span{0};
    int batches = 1;
    double seconds_each() const { return seconds(span) / batches; }
};
SteadyInput steady_input(const InputPipeline& pipeline);
// The closed form, in seconds.
double closed_form_seconds(const InputPipeline& pipeline);
// Of the GPU's time, once batches come as they do in the long run.
double idle_share(const InputPipeline& pipeline, const SteadyInput& steady);

}  // namespace sim::explain
