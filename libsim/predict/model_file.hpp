// The model of a command is given by name or as a file.
#pragma once

#include "libsim/training/transformer.hpp"

#include <string>
#include <vector>

namespace sim::predict {

// A preset (libsim/training/presets.hpp), a Hugging Face config.json (*.json), or TOML (*.toml,
// libsim/training/transformer_table.hpp). Throws UsageError: one line with the file, the key and what would do, or the
// nearest preset.
training::Transformer read_model(const std::string& name_or_file);

// With what is to be said of a config.json: training::HuggingFaceConfig. Empty for any other model.
struct ModelFile {
    training::Transformer model;
    std::string sequence_key = {};
    std::vector<std::string> remarks = {};
};
ModelFile read_model_file(const std::string& name_or_file);

}  // namespace sim::predict
