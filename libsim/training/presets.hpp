// A preset is a published transformer, by name: "gpt3-175b", "llama3-8b", "mixtral-8x7b", "deepseek-v3" …
//
// `sequence` is the length of the samples that most of the pretraining was done with, not the longest text a model can
// read. docs/models.md lists them all with their parameters.
#pragma once

#include "libsim/training/transformer.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

// In families, small to large; of one program run, always the same.
std::span<const Transformer> presets();

// However it is written (libsim/known_name.hpp), also with a publisher before it and a variant behind it that changes
// no shape: meta-llama/Llama-3.1-8B-Instruct. Throws ProgramError with the nearest names.
Transformer preset(std::string_view name);
bool is_preset(std::string_view name);

std::vector<std::string> preset_names();

}  // namespace sim::training
