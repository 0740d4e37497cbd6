// What the host has handed to the streams of its GPUs, kept back until something depends on it.
//
// A kernel is a few bytes here, and an op or two of the simulator when it is handed on: in bulk, so that what does not
// wait for kernels (a collective of another stream) can begin while they run.
#pragma once

#include "libsim/gpu.hpp"
#include "tools/torch/prices/work.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sim::torch {

// A kernel that somebody wants to know the times of. Handles that are never joined.
struct Watched {
    Handle begin = {};
    Handle end = {};
};

class Queue {
public:
    explicit Queue(GPU& gpu) : gpu_(&gpu) {}

    // A kernel that keeps a stream busy, handed over when the host had come to `at`. The label must live until the run
    // has ended. `watched`: where its begin and its end are put.
    void kernel(Stream stream, const char* label, Duration time, Duration at, prices::Category category,
                Watched* watched = nullptr);
    // So much of the GPU's memory is taken into use, or given back, behind the kernels so far.
    void hold(const char* label, std::int64_t bytes);
    // All of it is the simulator's; what is issued next begins no earlier than `at`, on whatever stream.
    void flush(Stream stream, Duration at);
    // Where a stream has come with all that is the simulator's.
    Handle here(Stream stream);

private:
    struct Kernel {
        const char* label;
        Duration time;
        Duration at;
        Stream stream;
        std::int64_t held_bytes = 0;  // of what is no kernel
        Watched* watched = nullptr;
        prices::Category category = prices::Category::passes;
    };
    void begin_at(Stream stream, Duration at);

    GPU* gpu_;
    std::vector<Kernel> kernels_;
    std::int64_t held_ = 0;
    std::array<Duration, most_streams + 1> least_{};  // a stream is at least here when all it was handed is done
    Duration issued_{-1};                             // as the simulator was last told
};

}  // namespace sim::torch
