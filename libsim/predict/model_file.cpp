#include "libsim/predict/model_file.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/training/hugging_face.hpp"
#include "libsim/training/presets.hpp"
#include "libsim/training/transformer_table.hpp"

#include <fmt/format.h>

namespace sim::predict {

namespace {

// For a missing file: its name may be a misspelled preset.
std::string preset_hint(const std::string& file) {
    const std::size_t slash = file.find_last_of('/');
    const std::string last = slash == std::string::npos ? file : file.substr(slash + 1);
    const std::string stem = last.substr(0, last.find_last_of('.'));
    if (training::is_preset(stem)) {
        return fmt::format("; {} is built in: leave the ending out", stem);
    }
    const std::string near = nearest(stem, training::preset_names());
    return near.empty() ? "; a model is a name like llama3-8b, a config.json, or a TOML file"
                        : fmt::format("; did you mean {}, which is built in?", near);
}

std::string text_of(const std::string& file, config::Notation notation) {
    try {
        return notation == config::Notation::json ? config::read_json_text(file, "a config.json")
                                                  : config::read_toml_text(file);
    } catch (const config::UsageError& error) {
        const std::string what = error.what();
        const bool missing = what.ends_with("No such file or directory");
        throw config::UsageError(missing ? what + preset_hint(file) : what);
    }
}

}  // namespace

ModelFile read_model_file(const std::string& name_or_file) {
    try {
        if (name_or_file.ends_with(".json")) {
            const std::string text = text_of(name_or_file, config::Notation::json);
            training::HuggingFaceConfig config = training::read_hugging_face(text, name_or_file);
            return {std::move(config.model), std::move(config.sequence_key), std::move(config.remarks)};
        }
        if (name_or_file.ends_with(".toml")) {
            return {training::transformer_of_toml(text_of(name_or_file, config::Notation::toml), name_or_file)};
        }
        const bool is_path = name_or_file.find('/') != std::string::npos;
        if (is_path && !training::is_preset(name_or_file)) {  // meta-llama/Llama-3.1-8B is one
            throw config::UsageError(fmt::format(
                "{}: a file with a model ends in .json (Hugging Face's config.json) or .toml", name_or_file));
        }
        return {training::preset(name_or_file)};
    } catch (const ProgramError& error) {
        throw config::UsageError(error.what());
    }
}

training::Transformer read_model(const std::string& name_or_file) {
    return read_model_file(name_or_file).model;
}

}  // namespace sim::predict
