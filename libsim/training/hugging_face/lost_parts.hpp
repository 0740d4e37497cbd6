// These rules interpret the keys of a config.json that the reader of its model_type did not read.
#pragma once

#include "libsim/training/hugging_face/config_keys.hpp"
#include "libsim/training/transformer.hpp"

#include <string>
#include <vector>

namespace sim::training {

// Refuses a model whose attention or experts would be lost: a key for linear or sparse attention, layers that are not
// attention, or experts that were not read.
void refuse_lost_parts(const ConfigKeys& keys, const std::string& type, const Transformer& model);

// The unread keys, except those that change neither the shape nor the time of a step.
std::vector<std::string> keys_not_understood(const ConfigKeys& keys);

}  // namespace sim::training
