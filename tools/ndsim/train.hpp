// ndsim train: one training step of a model on a machine in a layout, predicted and explained.
#pragma once

namespace sim::scenarios {

int run_train(int argc, const char* const* argv);

}  // namespace sim::scenarios
