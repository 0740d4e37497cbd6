#include "tools/torch/slot/compiled_regions.hpp"

#include "tools/torch/slot/errors.hpp"
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

// The range of sequence numbers that nodes got in one call, and the call's number.
struct Numbers {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t call = 0;
};

// The calls of a thread, in order. No graph lives for this many calls, so the oldest are forgotten.
using Calls = std::deque<Numbers>;
constexpr std::size_t most_calls = std::size_t{1} << 16U;

std::mutex mutex;
std::unordered_map<std::uint64_t, Calls> calls_of_threads;
std::atomic<bool> is_anything_compiled = false;
constexpr std::uint64_t none = 0;
std::atomic<std::uint64_t> latest_call = none;
std::atomic<std::uint64_t> told_call = none;  // the call last passed to the GPU

thread_local int depth = 0;
thread_local std::uint64_t begun_at = 0;
thread_local std::uint64_t open_call = none;

// Two numbers for each call: forward and backward passes are compiled separately.
std::uint64_t forward_of(std::uint64_t call) {
    return 2 * call;
}
std::uint64_t backward_of(std::uint64_t call) {
    return 2 * call + 1;
}

std::uint64_t call_that_made(const torch::autograd::Node& node) {
    const std::lock_guard lock(mutex);
    const auto of_thread = calls_of_threads.find(node.thread_id());
    if (of_thread == calls_of_threads.end()) {
        return none;
    }
    const Calls& calls = of_thread->second;
    const auto after = std::upper_bound(calls.begin(), calls.end(), node.sequence_nr(),
                                        [](std::uint64_t number, const Numbers& call) { return number < call.begin; });
    const bool is_in_it = after != calls.begin() && node.sequence_nr() < std::prev(after)->end;
    return is_in_it ? backward_of(std::prev(after)->call) : none;
}

// The compiled call whose forward or backward pass an operator called now belongs to.
std::uint64_t current_call() {
    if (depth > 0) {
        return forward_of(open_call);
    }
    if (!is_anything_compiled) {
        return none;
    }
    const auto node = torch::autograd::get_current_node();
    return node ? call_that_made(*node) : none;
}

}  // namespace

void begin_compiled() {
    if (depth++ == 0) {
        is_anything_compiled = true;
        begun_at = at::sequence_number::peek();
        open_call = ++latest_call;
    }
}

void end_compiled() {
    if (--depth > 0 || begun_at == at::sequence_number::peek()) {
        return;
    }
    const std::lock_guard lock(mutex);
    Calls& calls = calls_of_threads[at::RecordFunction::currentThreadId()];
    calls.push_back({begun_at, at::sequence_number::peek(), open_call});
    if (calls.size() > most_calls) {
        calls.pop_front();
    }
}

bool is_compiled() {
    return current_call() != none;
}

// Each call is compiled by itself, so nothing is fused across its ends.
void tell_compiled(seam::Stream stream) {
    if (!is_anything_compiled) {
        return;
    }
    const std::uint64_t now = current_call();
    if (told_call.exchange(now) != now) {
        require(gpu().compile(now != none, stream));
    }
}

}  // namespace sim::slot
