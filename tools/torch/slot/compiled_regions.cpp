#include "tools/torch/slot/compiled_regions.hpp"

#include "tools/torch/slot/operators.hpp"
#include "tools/torch/slot/seam_table.hpp"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>

namespace sim::slot {

namespace {

// The range of sequence numbers that nodes got in one call.
struct Numbers {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// The calls of a thread, in order. No graph lives for this many calls, so the oldest are forgotten.
using Calls = std::deque<Numbers>;
constexpr std::size_t most_calls = std::size_t{1} << 16U;

std::mutex mutex;
std::unordered_map<std::uint64_t, Calls> calls_of_threads;
std::atomic<bool> is_anything_compiled = false;
std::atomic<bool> is_told = false;  // the state last passed to the GPU

thread_local int depth = 0;
thread_local std::uint64_t begun_at = 0;

bool was_made_in_a_call(const torch::autograd::Node& node) {
    const std::lock_guard lock(mutex);
    const auto of_thread = calls_of_threads.find(node.thread_id());
    if (of_thread == calls_of_threads.end()) {
        return false;
    }
    const Calls& calls = of_thread->second;
    const auto after = std::upper_bound(calls.begin(), calls.end(), node.sequence_nr(),
                                        [](std::uint64_t number, const Numbers& call) { return number < call.begin; });
    return after != calls.begin() && node.sequence_nr() < std::prev(after)->end;
}

}  // namespace

void begin_compiled() {
    if (depth++ == 0) {
        is_anything_compiled = true;
        begun_at = at::sequence_number::peek();
    }
}

void end_compiled() {
    if (--depth > 0 || begun_at == at::sequence_number::peek()) {
        return;
    }
    const std::lock_guard lock(mutex);
    Calls& calls = calls_of_threads[at::RecordFunction::currentThreadId()];
    calls.push_back({begun_at, at::sequence_number::peek()});
    if (calls.size() > most_calls) {
        calls.pop_front();
    }
}

bool is_compiled() {
    if (depth > 0) {
        return true;
    }
    if (!is_anything_compiled) {
        return false;
    }
    const auto node = torch::autograd::get_current_node();
    return node && was_made_in_a_call(*node);
}

void tell_compiled(seam::Stream stream) {
    if (!is_anything_compiled) {
        return;
    }
    const bool now = is_compiled();
    if (is_told.exchange(now) != now) {
        require(gpu().compile(now, stream));
    }
}

}  // namespace sim::slot
