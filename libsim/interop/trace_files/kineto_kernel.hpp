// This function classifies an event of the PyTorch profiler by what kept the GPU busy.
#pragma once

#include "libsim/interop/trace_files/event_fields.hpp"
#include "libsim/trace/span.hpp"

#include <optional>
#include <string>

namespace sim::trace_files {

struct KinetoKernel {
    OpKind kind = OpKind::compute;
    std::string label;  // NCCL kernels: the operation ("all-reduce"); others: the kernel's name
    Measure measure = Measure::flops;
    std::int64_t amount = 0;
    int peer = -1;
};

// Returns nothing for events that are not on the GPU: operators, launches, annotations.
std::optional<KinetoKernel> kineto_kernel(const JsonEvent& event, const std::string& where);

}  // namespace sim::trace_files
