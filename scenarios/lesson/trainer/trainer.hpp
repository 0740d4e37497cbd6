// The trainer is the program of every rank in all five scenarios: it runs one training on the mesh that the options ask
// for.
//
// A step: every micro-batch forward and backward (without a pipeline one after the other, else in the order of the
// schedule), then the gradients are added up over the replicas and the weights step. What the axes of the mesh do to
// it is in exchanges.hpp (tp, cp, ep), libsim/parallel/pipeline (pp) and replica.hpp (dp, and ep and cp once more).
#pragma once

#include "libsim/gpu.hpp"
#include "ranks/recovery.hpp"
#include "scenarios/options/options.hpp"

namespace sim::lesson {

// From its beginning, or from where a checkpoint says (options.checkpoints); the options' mesh is that of this life's
// ranks. Reports "weights", those that are on this rank at the end, and "places", where in the whole model each of them
// is.
void train(GPU& gpu, const scenarios::Options& options, const ranks::Start& start = {});

}  // namespace sim::lesson
