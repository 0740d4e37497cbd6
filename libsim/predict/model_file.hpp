// These functions read the model of a command, which is given by name or as a file.
#pragma once

#include "libsim/training/transformer.hpp"

#include <string>
#include <vector>

namespace sim::predict {

// Takes a preset (libsim/training/presets.hpp), a Hugging Face config.json (*.json), or TOML (*.toml,
// libsim/training/transformer_table.hpp). Throws UsageError: one line with the file, the key and its allowed values, or
// the nearest preset.
training::Transformer read_model(const std::string& name_or_file);

// A model, with the sequence key of a config.json and remarks on it (training::HuggingFaceConfig); both are empty for
// other models.
struct ModelFile {
    training::Transformer model;
    std::string sequence_key = {};
    std::vector<std::string> remarks = {};
};
ModelFile read_model_file(const std::string& name_or_file);

}  // namespace sim::predict
