// Passes are the computations of micro-batches. All pictures give the passes of a micro-batch one colour, darker on the
// way back, and mark the time in which the ranks of a pipeline wait for passes of others.
#pragma once

#include "libsim/report/timeline.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim::report {

struct Pass {
    int micro_batch = 0;
    bool is_forward = true;  // backward, and the gradient of inputs or weights alone: false
};

// "input gradient of micro-batch 3, layer 1" is a backward pass of micro-batch 3; nothing: the label names no pass.
std::optional<Pass> pass_of(std::string_view label);

// The pass's variable of picture_colours: "f3", or "b3" on the way back. Micro-batches 0 and 6 share a colour.
std::string colour_of(Pass pass);

// The fill of a rank lasts until its first pass; its drain, from its last pass until every rank has finished its own; a
// bubble lies between two passes.
enum class PipelineWait : std::uint8_t { fill, bubble, drain };
const char* name_of(PipelineWait wait);

struct WaitingTime {
    int rank = 0;
    PipelineWait wait = PipelineWait::fill;
    Time begin;
    Time end;
};

// The time in which a rank of a pipeline neither computes nor sends, receives or takes part in a collective. By rank,
// then by time. Empty if no rank waits for its first pass, as without a pipeline. Cost: sorts the spans.
std::vector<WaitingTime> pipeline_waits(const Timeline& timeline);

}  // namespace sim::report
