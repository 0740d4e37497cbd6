// The timeline of a predicted step explains its spans: which ranks each one stands for, which micro-batch and chunk a
// pass is of, the collectives inside a pass, how long each message travels, and the memory that is held.
//
// A run of the step knows none of this: a pass is one op there, with its layers' kernels and collectives inside.
#pragma once

#include "libsim/predict/training_options.hpp"
#include "libsim/report/timeline.hpp"

#include <span>

namespace sim::predict {

// On this stream are the collectives inside passes: of tensor, context and expert parallelism, as far as they are
// exposed. Where jitter makes a pass longer or shorter, they are, too.
inline constexpr Stream stream_within_passes = static_cast<Stream>(2);

// `spans` are those of predict_step() with the same case and `unfold`. Cost: linear in the spans and in the kernels of
// all passes.
report::Timeline step_timeline(const TrainingCase& what, std::span<const Span> spans, bool unfold);

}  // namespace sim::predict
