// Reads the tower of a model for images and text from its config.json.
#pragma once

#include "libsim/training/hugging_face/config_keys.hpp"
#include "libsim/training/transformer.hpp"

#include <string>
#include <vector>

namespace sim::training {

// The tower in front of `text`, if vision_config gives its sizes and the model_type is known to have one: with one
// image in a sequence. A part of the shape that the file does not say is added to `remarks`.
SharedPart<Tower> tower_of(const ConfigKeys& all, const Transformer& text, std::vector<std::string>& remarks);

// The model types whose towers are known, in alphabetical order.
std::vector<std::string> tower_types();

// The text of a model whose text_config leaves out what transformers' LlamaConfig has by default: Llama 7B's sizes.
Transformer read_llama_part(const ConfigKeys& keys);

}  // namespace sim::training
