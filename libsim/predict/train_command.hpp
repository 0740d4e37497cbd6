// A train command is the command line of `ndsim train` that predicts a layout which was found in another way.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/predict/training_options.hpp"

namespace sim::predict {

// `given`, the options of a question as typed, with what `ndsim train` has to be told to come to the layout of
// `wanted`, and without what it must not be told. GPUs, global batch and ZeRO stage are always said, and so are the
// schedule of a pipeline and several chunks. Requires: the case came from these options but for its layout.
config::Given given_for(const config::Given& given, const TrainingCase& wanted);

// "ndsim train --model llama3-8b …", which gives the time and the memory of `wanted`.
std::string train_command(const config::Given& given, const TrainingCase& wanted);

}  // namespace sim::predict
