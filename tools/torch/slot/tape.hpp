// A tape records the computation of a CUDA graph and repeats it at each launch, on the same memory.
//
// (1) During a capture the operators are computed, too, so that their results have the same shape and memory as without
// a graph. At the end of the capture, memory from before it gets its old contents back, since a GPU computes nothing
// during a capture; so do the offsets of generators. (2) The tape keeps the CPU data alive, as a graph's private pool
// keeps its memory, but none of the GPU's blocks.
#pragma once

#include "tools/torch/slot/device.hpp"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace sim::slot {

class Tape {
public:
    // The tape of a device's current stream; null if it is not being captured.
    static Tape* of(c10::DeviceIndex device) { return current() == nullptr ? nullptr : captured(device); }
    // The tape of the capture in progress, if any.
    static Tape* current() { return current_.load(std::memory_order_acquire); }

    void begin();
    void end();

    // Adds a step to each launch.
    void add(std::function<void()> step);
    // Call this before a computation that reads or writes this tensor, on a GPU or on the host.
    void touch(const at::Tensor& tensor);
    void draws_from(const at::Generator& generator);

    void clear();

    bool draws() const { return !generators_.empty(); }
    // Repeats all steps in order.
    void play() const;

private:
    using Kept = std::pair<c10::Storage, std::vector<char>>;  // memory, and its contents
    using Place = std::pair<at::Generator, std::uint64_t>;
    static Tape* captured(c10::DeviceIndex device);
    static std::atomic<Tape*> current_;

    std::mutex mutex_;  // a backward pass has threads of its own
    std::uint64_t newest_before_ = 0;
    std::map<const void*, Kept> before_;  // by address
    std::map<const c10::GeneratorImpl*, Place> generators_;
    std::map<const c10::StorageImpl*, c10::weak_intrusive_ptr<c10::StorageImpl>> touched_;
    std::vector<std::function<void()>> steps_;
};

}  // namespace sim::slot
