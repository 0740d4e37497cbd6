// The model of a command is given by name or as a file.
#pragma once

#include "libsim/training/transformer.hpp"

#include <string>

namespace sim::predict {

// A preset (libsim/training/presets.hpp), a Hugging Face config.json (*.json), or TOML (*.toml,
// libsim/training/transformer_table.hpp). Throws UsageError: one line with the file, the key and what would do, or the
// nearest preset.
training::Transformer read_model(const std::string& name_or_file);

// With the key of a config.json that says how long a sequence is; empty for any other model.
struct ModelFile {
    training::Transformer model;
    std::string sequence_key;
};
ModelFile read_model_file(const std::string& name_or_file);

}  // namespace sim::predict
