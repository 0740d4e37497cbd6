// The trainer is the program of every rank in all five scenarios: it runs one training on the mesh that the options ask
// for.
//
// A step runs every micro-batch forward and backward (in schedule order; without a pipeline one after the other), then
// sums the gradients over the replicas and updates the weights. exchanges.cpp (tp, cp, ep), libsim/parallel/pipeline
// (pp) and replica.hpp (dp, and again ep and cp) define the effects of the mesh's axes.
#pragma once

#include "libsim/gpu.hpp"
#include "ranks/recovery.hpp"
#include "scenarios/options/options.hpp"

namespace sim::lesson {

// Starts from the beginning or from a checkpoint (options.checkpoints); the options' mesh is that of this life's ranks.
// Reports "weights", those on this rank at the end, and "places", their places in the whole model.
void train(GPU& gpu, const scenarios::Options& options, const ranks::Start& start = {});

}  // namespace sim::lesson
