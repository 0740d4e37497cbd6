// The kernel's sinks receive the ranks' log lines, ops and completed steps as the kernel reaches them.
#pragma once

#include "libsim/op.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace sim::kernel {

// Receives a line that a rank logs: its time, and its text as a label.
using LogOpSink = std::function<void(int rank, Time at, Label text)>;
// Receives the ops of a rank that the kernel has just executed, in program order.
using OpSink = std::function<void(int rank, std::span<const Op> ops)>;

// A rank has completed `steps` steps of its program, and may have handed over its state (OpKind::checkpoint).
struct StepsDone {
    int rank = 0;
    std::int64_t steps = 0;
    bool in_program = true;  // false: on a stream beside the program
    Time asked;              // when the program handed over its state
    Time begin;
    Time end;  // end of the stall; the state is then complete
    bool with_state = false;
    std::uint64_t bytes = 0;
    std::uint32_t payload = 0;  // index of the state among the rank's payloads, if it has any bytes
};
using StepsSink = std::function<void(const StepsDone&)>;

}  // namespace sim::kernel
