// The kernel's sinks receive what ranks log, do and have done, as simulated time comes to it.
#pragma once

#include "libsim/op.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace sim::kernel {

// A line that a rank logs: its time, and its text as a label.
using LogOpSink = std::function<void(int rank, Time at, Label text)>;
// The next ops of a rank that the kernel has taken, in the order of its program.
using OpSink = std::function<void(int rank, std::span<const Op> ops)>;

// A rank has done so many steps of its program, and perhaps handed over its state (OpKind::checkpoint).
struct StepsDone {
    int rank = 0;
    std::int64_t steps = 0;
    bool in_program = true;  // or on a stream, beside it
    Time asked;              // when the program handed over its state
    Time begin;
    Time end;  // of standing still; the state is complete then
    bool with_state = false;
    std::uint64_t bytes = 0;
    std::uint32_t payload = 0;  // which of the rank's payloads the state is, where it has any bytes
};
using StepsSink = std::function<void(const StepsDone&)>;

}  // namespace sim::kernel
