#include "tools/torch/gpu/queue.hpp"

#include <algorithm>
#include <cstdlib>

namespace sim::torch {

namespace {

// More than any program launches between two dependent operations.
constexpr std::size_t most_kernels = 1U << 16U;

}  // namespace

void Queue::kernel(Stream stream, const char* label, Duration time, Duration at, prices::Category category,
                   Watched* watched) {
    kernels_.push_back({label, time, at, stream, 0, watched, category});
    if (kernels_.size() == most_kernels) {
        flush(stream, at);
    }
}

// Memory allocated before this process became a rank was never counted, so freeing it does not count either.
void Queue::hold(const char* label, std::int64_t bytes) {
    const std::int64_t change = std::max(bytes, -held_);
    held_ += change;
    if (change != 0) {
        kernels_.push_back({label, {}, {}, Stream::main, change});
    }
}

// Tells the simulator only if it matters: a stream that is busy until then begins no earlier anyway.
void Queue::begin_at(Stream stream, Duration at) {
    Duration& least = least_[static_cast<std::size_t>(stream)];
    if (stream == Stream::main) {
        if (at > least) {
            gpu_->idle_until(at);
            least = at;
        }
    } else if (at != issued_) {
        gpu_->issue_from(at);
        issued_ = at;
    }
}

Handle Queue::here(Stream stream) {
    return stream == Stream::main ? gpu_->mark() : gpu_->on(stream, [] {});
}

void Queue::flush(Stream stream, Duration at) {
    for (const Kernel& kernel : kernels_) {
        if (kernel.held_bytes != 0) {
            const Bytes size{std::abs(kernel.held_bytes)};
            kernel.held_bytes > 0 ? gpu_->allocate(kernel.label, size) : gpu_->release(kernel.label, size);
            continue;
        }
        begin_at(kernel.stream, kernel.at);
        // A machine's unit of work takes a millisecond, so a billionth of one takes a picosecond.
        const Work work{kernel.time.count(), Measure::units};
        const int purpose = prices::purpose_of(kernel.category);
        if (kernel.watched != nullptr) {
            kernel.watched->begin = here(kernel.stream);
        }
        if (kernel.stream == Stream::main) {
            gpu_->compute(kernel.label, work, purpose);
            least_[0] += kernel.time;
        } else {
            gpu_->start_on(kernel.stream, [&] { gpu_->compute(kernel.label, work, purpose); });
        }
        if (kernel.watched != nullptr) {
            kernel.watched->end = here(kernel.stream);
        }
    }
    kernels_.clear();
    begin_at(stream, at);
}

}  // namespace sim::torch
