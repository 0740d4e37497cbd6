// What is computed in a CUDA graph, kept to be computed again at each launch, on the same memory.
//
// (1) While a graph is captured its operators are computed, too, so that what they give back has the shape and the
// memory that it has without a graph. When the capture ends, the memory that was there before it is what it was, as on
// a GPU, which computes nothing meanwhile; so are the random numbers' places. (2) The tape keeps numbers alive, as a
// graph's private pool keeps its memory, and none of the GPU's own blocks.
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
    // The tape of a device's current stream; null: that is not captured.
    static Tape* of(c10::DeviceIndex device) { return current() == nullptr ? nullptr : captured(device); }
    // That of the capture under way, if any.
    static Tape* current() { return current_.load(std::memory_order_acquire); }

    void begin();
    void end();

    // One more thing that each launch does.
    void add(std::function<void()> step);
    // What is computed next reads or writes this tensor, on a GPU or on the host.
    void touch(const at::Tensor& tensor);
    void draws_from(const at::Generator& generator);

    void clear();

    bool draws() const { return !generators_.empty(); }
    // All of it again, in order.
    void play() const;

private:
    using Kept = std::pair<c10::Storage, std::vector<char>>;  // memory, and what was in it
    using Place = std::pair<at::Generator, std::uint64_t>;
    static Tape* captured(c10::DeviceIndex device);
    static std::atomic<Tape*> current_;

    std::mutex mutex_;  // a backward pass runs in threads of its own
    std::uint64_t newest_before_ = 0;
    std::map<const void*, Kept> before_;  // by address
    std::map<const c10::GeneratorImpl*, Place> generators_;
    std::map<const c10::StorageImpl*, c10::weak_intrusive_ptr<c10::StorageImpl>> touched_;
    std::vector<std::function<void()>> steps_;
};

}  // namespace sim::slot
