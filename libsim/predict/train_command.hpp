// A train command is the command line of `ndsim train` that predicts a layout found in another way.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/predict/training_options.hpp"

namespace sim::predict {

// `given` (the options of a question, as typed) with the options that `ndsim train` needs to arrive at the layout of
// `wanted`, and without those that contradict it. GPUs, global batch and ZeRO stage are always included, and so are the
// schedule of a pipeline and several chunks. Requires: apart from its layout, the case came from these options.
config::Given given_for(const config::Given& given, const TrainingCase& wanted);

// "ndsim train --model llama3-8b …", which predicts the time and the memory of `wanted`.
std::string train_command(const config::Given& given, const TrainingCase& wanted);

}  // namespace sim::predict
