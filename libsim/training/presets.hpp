// A preset is a published transformer, by name: "gpt3-175b", "llama3-8b", "mixtral-8x7b", "deepseek-v3" …
//
// They are data: models/*/*.toml, a family each, with their sources. A name is found without parsing any of them, a
// model by parsing its family. `sequence` is the sample length of most of the pretraining, not the longest text that a
// model can read.
#pragma once

#include "libsim/training/transformer.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

// By family, from small to large; the order is fixed. The first call parses all files, which takes milliseconds.
std::span<const Transformer> presets();

// Finds a name in any spelling (libsim/known_name.hpp), also with a publisher before it and a variant that does not
// change the shape after it: meta-llama/Llama-3.1-8B-Instruct. Throws ProgramError with the nearest names.
Transformer preset(std::string_view name);
bool is_preset(std::string_view name);

std::vector<std::string> preset_names();

}  // namespace sim::training
