// The model a command is asked about: by name, or from a file.
#pragma once

#include "libsim/training/transformer.hpp"

#include <string>

namespace sim::scenarios {

// A preset (libsim/training/presets.hpp), a Hugging Face config.json (*.json), or TOML (*.toml,
// libsim/training/transformer_table.hpp). Throws UsageError: one line with the file, the key and what would do, or the
// nearest preset.
model::Transformer read_model(const std::string& name_or_file);

}  // namespace sim::scenarios
