// The queue holds the work that the host launched on the streams of its GPUs, until something depends on it.
//
// A kernel is a few bytes here, and one or two ops of the simulator when the queue is flushed. Flushing in bulk lets
// operations that do not wait for kernels, such as a collective on another stream, begin while they run.
#pragma once

#include "libsim/gpu.hpp"
#include "tools/torch/prices/work.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sim::torch {

// The times of a kernel that a profiler watches, as handles that are never joined.
struct Watched {
    Handle begin = {};
    Handle end = {};
};

class Queue {
public:
    explicit Queue(GPU& gpu) : gpu_(&gpu) {}

    // Queues a kernel that keeps a stream busy, launched at host time `at`. The label must live until the run ends.
    // `watched` receives its begin and end.
    void kernel(Stream stream, const char* label, Duration time, Duration at, prices::Category category,
                Watched* watched = nullptr);
    // Allocates or frees this much of the GPU's memory after the kernels so far.
    void hold(const char* label, std::int64_t bytes);
    // Passes everything on to the simulator. The next op on `stream` begins no earlier than `at`.
    void flush(Stream stream, Duration at);
    // The end of the work that has been flushed to a stream.
    Handle here(Stream stream);

private:
    struct Kernel {
        const char* label;
        Duration time;
        Duration at;
        Stream stream;
        std::int64_t held_bytes = 0;  // nonzero for an allocation or release instead of a kernel
        Watched* watched = nullptr;
        prices::Category category = prices::Category::passes;
    };
    void begin_at(Stream stream, Duration at);

    GPU* gpu_;
    std::vector<Kernel> kernels_;
    std::int64_t held_ = 0;
    std::array<Duration, most_streams + 1> least_{};  // lower bound of the end of each stream's work
    Duration issued_{-1};                             // last issue time passed to the simulator
};

}  // namespace sim::torch
