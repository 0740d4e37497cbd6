#include "libsim/training/hugging_face.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/training/hugging_face/model_types.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace sim::training {

namespace {

std::string last_part(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

// By the file itself; by its folder, as they are downloaded: Llama-3.1-8B/config.json; by its type.
std::string name_from(const ConfigKeys& keys, const std::string& type, const std::string& file) {
    if (const std::string name = last_part(keys.text("_name_or_path", "")); !name.empty()) {
        return name;
    }
    const std::size_t slash = file.find_last_of('/');
    const std::string folder = slash == std::string::npos ? "" : last_part(file.substr(0, slash));
    if (!folder.empty() && folder != "." && folder != ".." && last_part(file) == "config.json") {
        return folder;
    }
    return type.empty() ? "transformer" : type;
}

Transformer read_unknown(const ConfigKeys& keys, const std::string& type) {
    for (const char* key : {"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size"}) {
        if (!keys.has(key) && !type.empty()) {
            const std::vector<std::string> known = hugging_face_model_types();
            keys.refuse(fmt::format("model_type \"{}\" cannot be read as llama ({} is missing), and is none of {}{}",
                                    type, key, fmt::join(known, ", "), did_you_mean(type, known)));
        }
    }
    return read_llama_like(keys);  // says what is missing where there is no model_type
}

Transformer read(const ConfigKeys& keys, const std::string& file) {
    const std::string type = keys.text("model_type", "");
    const auto known = model_types();
    const auto at = std::find_if(known.begin(), known.end(), [&](const ModelType& one) { return one.name == type; });
    Transformer model = at == known.end() ? read_unknown(keys, type) : at->read(keys);
    model.name = name_from(keys, type, file);
    return model;
}

// Of a model with several parts, those of its text.
ConfigKeys keys_of(std::string_view json, const std::string& where) {
    const ConfigKeys keys(json, where);
    const bool nested = keys.has_table("text_config") && !keys.has("hidden_size");
    return nested ? keys.table("text_config") : keys;
}

}  // namespace

std::string sequence_key_of_hugging_face(std::string_view json, const std::string& where) {
    return sequence_key_of(keys_of(json, where));
}

std::vector<std::string> hugging_face_model_types() {
    std::vector<std::string> names;
    for (const ModelType& type : model_types()) {
        names.emplace_back(type.name);
    }
    return names;
}

Transformer transformer_of_hugging_face(std::string_view json, const std::string& where) {
    const Transformer model = read(keys_of(json, where), where);
    try {
        check_transformer(model);
    } catch (const ProgramError& error) {
        throw ProgramError(fmt::format("{}: {}", where, error.what()));
    }
    return model;
}

}  // namespace sim::training
