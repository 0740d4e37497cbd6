// This function says what an event of the PyTorch profiler kept the GPU busy with.
#pragma once

#include "libsim/interop/trace_files/event_fields.hpp"
#include "libsim/trace/span.hpp"

#include <optional>
#include <string>

namespace sim::trace_files {

struct KinetoKernel {
    OpKind kind = OpKind::compute;
    std::string label;  // of NCCL's the operation ("all-reduce"), of others the name
    Measure measure = Measure::flops;
    std::int64_t amount = 0;
    int peer = -1;
};

// None of events that are not on the GPU: operators, launches, annotations.
std::optional<KinetoKernel> kineto_kernel(const JsonEvent& event, const std::string& where);

}  // namespace sim::trace_files
