// These rules decide what a config.json's keys mean that the reader of its model_type did not ask for.
#pragma once

#include "libsim/training/hugging_face/config_keys.hpp"

#include <string>
#include <vector>

namespace sim::training {

// Refuses a model of which attention or experts would be lost: a key that says linear or sparse attention, layers that
// are no attention, or experts that nobody asked for.
void refuse_lost_parts(const ConfigKeys& keys, const std::string& type);

// The keys that nobody asked for, but for those that change neither the shape nor the time of a step.
std::vector<std::string> keys_not_understood(const ConfigKeys& keys);

}  // namespace sim::training
