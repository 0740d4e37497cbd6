// The timeline of a predicted step explains its spans: the ranks that each one stands for, the micro-batch and chunk of
// a pass, the collectives inside a pass, the transmission time of each message, and the memory in use.
//
// A run of the step has none of this: there, a pass is one op that includes its layers' kernels and collectives.
#pragma once

#include "libsim/predict/training_options.hpp"
#include "libsim/report/timeline.hpp"

#include <span>

namespace sim::predict {

// This stream has the exposed part of collectives inside passes: of tensor, context and expert parallelism. They become
// longer or shorter with the pass under jitter.
inline constexpr Stream stream_within_passes = static_cast<Stream>(2);

// `spans` are those of predict_step() with the same case and `unfold`. Cost: linear in the spans and in the kernels of
// all passes.
report::Timeline step_timeline(const TrainingCase& what, std::span<const Span> spans, bool unfold);

}  // namespace sim::predict
