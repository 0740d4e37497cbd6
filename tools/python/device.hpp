// A device is a GPU whose host runs ahead of it, as PyTorch's does: the program hands it work and goes on.
//
// The host has a clock of its own, to which each operator adds what its launch costs; the GPU carries out what it was
// handed in order, none of it before the host has handed it over. Kernels are kept back until something depends on
// them, so that what does not wait for them (a collective of another stream) can begin while they run.
// All times are in picoseconds since the beginning of the run.
#pragma once

#include "libsim/gpu.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace sim::python {

class Device {
public:
    // `launch`: what an operator costs the host. Requires: it is not negative.
    Device(GPU& gpu, Duration launch) : gpu_(&gpu), launch_(launch) {}

    Duration host() const { return host_; }
    // The host launches a kernel that keeps the GPU busy for `time`.
    void kernel(std::string_view label, Duration time);
    // The host is busy with something else.
    void pass_host(Duration time) { host_ += time; }
    // Memory of the GPU, taken into use (or freed: below 0) behind the kernels so far.
    void allocate(std::string_view label, std::int64_t bytes);

    struct Launched {
        Handle handle;
        std::optional<BroughtData> brought;
    };
    struct Terms {
        Stream stream = Stream{1};
        // Begins behind the kernels so far; else when the host says, or at `not_before`, if that is later.
        bool after_main = true;
        Duration not_before{0};
        std::vector<Handle> after = {};  // and behind these
        std::optional<std::span<const std::byte>> data = std::nullopt;
        bool takes = true;
    };
    Launched collective(const Group& group, const Collective& what, const Terms& terms);
    // Where the GPU is when it has done all that it was handed: for what else is to wait for that. It uses `stream`, on
    // which nothing else may be.
    Handle mark(Stream stream);
    // The GPU waits for it, or until a time.
    void join(const Handle& handle);
    void join(Duration at);

    // Everything handed over so far is the GPU's; what follows on it comes no earlier than the host has come.
    void flush();
    // Where the GPU is.
    Duration now();
    // The host waits for the GPU.
    Duration synchronize();

private:
    struct Work {
        const std::string* label;
        std::int64_t amount;  // picoseconds of a kernel, bytes of memory
        Duration handed_over;
        bool is_memory;
    };
    const std::string* keep(std::string_view label) { return &*labels_.emplace(label).first; }
    void idle_until(Duration at);

    GPU* gpu_;
    Duration launch_;
    Duration host_{0};
    Duration least_{0};  // the GPU is at least here, when all it was handed is done
    std::vector<Work> kept_back_;
    std::unordered_set<std::string> labels_;
};

}  // namespace sim::python
