#include "libsim/training/hugging_face.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/training/hugging_face/lost_parts.hpp"
#include "libsim/training/hugging_face/model_types.hpp"
#include "libsim/training/hugging_face/towers.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace sim::training {

namespace {

std::string last_part(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

// The name in the file; else the folder's, as downloaded (Llama-3.1-8B/config.json); else the model_type.
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
    return read_llama_like(keys);  // reports missing keys if there is no model_type
}

struct ReadModel {
    Transformer model;
    bool is_known = true;  // its model_type
};

// `is_part`: `keys` are a text_config.
ReadModel read(const ConfigKeys& keys, const std::string& type, const std::string& file, bool is_part) {
    const auto known = model_types();
    const auto at = std::find_if(known.begin(), known.end(), [&](const ModelType& one) { return one.name == type; });
    const bool is_known = at != known.end();
    const bool has_defaults = is_part && type == "llama" && !keys.has("hidden_size");
    ReadModel read{has_defaults ? read_llama_part(keys)
                   : is_known   ? at->read(keys)
                                : read_unknown(keys, type),
                   is_known};
    read.model.name = name_from(keys, type, file);
    if (read.model.pattern.empty()) {
        read_listed_pattern(keys, read.model);
    }
    return read;
}

// Everything left out that would surprise a reader.
std::vector<std::string> remarks_on(const ConfigKeys& keys, const std::string& type, const ReadModel& read) {
    std::vector<std::string> said;
    const std::vector<std::string> left = keys_not_understood(keys);
    const std::string listed = left.empty() ? "" : fmt::format("keys not understood: {}", fmt::join(left, ", "));
    if (!read.is_known) {
        const std::string what =
            type.empty() ? "model_type is missing" : fmt::format("model_type \"{}\" is not known", type);
        said.push_back(
            fmt::format("{}: read as llama; {}", what, left.empty() ? "all keys that matter were understood" : listed));
    }
    return said;
}

bool is_of_several_parts(const ConfigKeys& keys) {
    return keys.has_table("text_config") && !keys.has("hidden_size");
}

}  // namespace

std::vector<std::string> hugging_face_model_types() {
    std::vector<std::string> names;
    for (const ModelType& type : model_types()) {
        names.emplace_back(type.name);
    }
    return names;
}

HuggingFaceConfig read_hugging_face(std::string_view json, const std::string& where) {
    const ConfigKeys all(json, where);
    const bool several = is_of_several_parts(all);
    const ConfigKeys keys = several ? all.table("text_config") : all;
    const std::string type = keys.text("model_type", keys.text("_class_name", ""));  // the latter in diffusers
    ReadModel found = read(keys, type, where, several);
    std::vector<std::string> of_tower;
    found.model.tower = tower_of(all, found.model, of_tower);
    refuse_lost_parts(keys, type, found.model);
    try {
        check_transformer(found.model);
    } catch (const ProgramError& error) {
        throw ProgramError(fmt::format("{}: {}", where, error.what()));
    }
    HuggingFaceConfig config{found.model, sequence_key_of(keys), remarks_on(keys, type, found)};
    config.remarks.insert(config.remarks.end(), of_tower.begin(), of_tower.end());
    if (several && !found.model.tower) {
        config.remarks.emplace_back("text_config of config.json alone: parts for pictures or sound are left out");
    }
    return config;
}

}  // namespace sim::training
