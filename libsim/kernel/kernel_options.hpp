// What a kernel is asked to do besides replaying ops: its order, whom it tells what, and what befalls its ranks.
#pragma once

#include "libsim/faults/injection.hpp"
#include "libsim/kernel/agenda.hpp"
#include "libsim/kernel/sinks.hpp"
#include "libsim/trace/span.hpp"

#include <cstdint>
#include <vector>

namespace sim::kernel {

struct KernelOptions {
    Order order = Order::any;
    SpanSink on_span = nullptr;
    LogOpSink on_log = nullptr;
    OpSink on_ops = nullptr;
    std::vector<faults::Injection> faults = {};
    StepsSink on_steps = nullptr;
    Time begin = Time{};  // when all ranks begin
};

// What an injected fault does to a rank before it goes on.
enum class Befalls : std::uint8_t { nothing, stop, death };

}  // namespace sim::kernel
