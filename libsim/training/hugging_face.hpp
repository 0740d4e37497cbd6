// This function reads a transformer from the config.json of a Hugging Face checkpoint.
//
// Each `model_type` is a row in hugging_face/model_types.cpp. Any other is read as llama if the file has llama's keys.
// For a model of pictures and text, text_config is read, and vision_config if the model_type is a row in
// hugging_face/towers.cpp. The file is refused if a key implies attention or experts that
// would be lost.
//
// `sequence` is the pretraining length if the file gives one (rope_scaling.original_max_position_embeddings,
// initial_context_length), otherwise the longest that the model can read: pretraining is often shorter.
#pragma once

#include "libsim/training/transformer.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

struct HuggingFaceConfig {
    Transformer model;
    // The key that gives the sequence length: "max_position_embeddings" is the longest that the model can take, any
    // other the pretraining length. Empty if no key does.
    std::string sequence_key;
    // Sentences about parts that were not read literally: "model_type \"my_llama\" is not known: read as llama; …".
    std::vector<std::string> remarks;
};

// `where` is the file's name in errors. Throws ProgramError, one line with the file, the key, its allowed values and
// the nearest key in the file; also for a shape that is no Transformer or that check_transformer() refuses.
HuggingFaceConfig read_hugging_face(std::string_view json, const std::string& where);

// The known model types, in alphabetical order.
std::vector<std::string> hugging_face_model_types();

}  // namespace sim::training
