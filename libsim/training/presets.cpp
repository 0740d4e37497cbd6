#include "libsim/training/presets.hpp"

#include "libsim/error.hpp"
#include "libsim/known_name.hpp"
#include "libsim/training/listed_names.hpp"
#include "libsim/training/models/files.hpp"
#include "libsim/training/transformer_table.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace sim::training {

namespace {

std::vector<PublishedModel> models_of(const FamilyFile& file) {
    return family_of_toml(file.text, fmt::format("models/{}/{}.toml", file.folder, file.stem));
}

// All names, and where their models are.
struct KnownModels {
    struct Place {
        const FamilyFile* file;
        std::size_t row;  // among the models of the file
    };
    std::vector<KnownName> names;  // of each model, then the aliases; their rows are indices into `places`
    std::vector<Place> places;
};

const KnownModels& known_models() {
    static const KnownModels all = [] {
        KnownModels known;
        std::vector<KnownName> aliases;
        for (const FamilyFile& file : family_files()) {
            std::size_t row = 0;
            for (const ListedName& model : names_listed_in(file.text)) {
                for (const std::string_view alias : model.aliases) {
                    aliases.push_back({std::string(alias), known.places.size()});
                }
                known.names.push_back({std::string(model.name), known.places.size()});
                known.places.push_back({&file, row++});
            }
        }
        known.names.insert(known.names.end(), aliases.begin(), aliases.end());
        return known;
    }();
    return all;
}

std::string_view without_publisher(std::string_view name) {
    return name.substr(name.find_last_of('/') + 1);
}

// Removes the variant: Llama-3.1-8B-Instruct becomes Llama-3.1-8B.
std::string_view without_variant(std::string_view name) {
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view variant : {"-instruct", "-Instruct", "-base", "-Base", "-chat", "-hf", "-it", "-pt",
                                               "-thinking", "-Thinking", "-BF16", "-FP8"}) {
            if (name.size() > variant.size() && name.ends_with(variant)) {
                name.remove_suffix(variant.size());
                again = true;
            }
        }
    }
    return name;
}

std::optional<std::size_t> find(std::string_view name) {
    const std::string_view own = without_publisher(name);
    for (const std::string_view typed : {own, without_variant(own)}) {
        if (const auto row = row_meant(typed, known_models().names)) {
            return row;
        }
    }
    return std::nullopt;
}

}  // namespace

std::span<const Transformer> presets() {
    static const std::vector<Transformer> all = [] {
        std::vector<Transformer> models;
        for (const FamilyFile& file : family_files()) {
            for (PublishedModel& one : models_of(file)) {
                models.push_back(std::move(one.model));
            }
        }
        return models;
    }();
    return all;
}

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    for (std::size_t row = 0; row < known_models().places.size(); ++row) {
        names.push_back(known_models().names[row].name);
    }
    return names;
}

bool is_preset(std::string_view name) {
    return find(name).has_value();
}

Transformer preset(std::string_view name) {
    if (const std::optional<std::size_t> row = find(name)) {
        const KnownModels::Place& place = known_models().places[*row];
        return models_of(*place.file).at(place.row).model;
    }
    std::string hint = name_hint(without_publisher(name), known_models().names);
    if (hint.empty()) {
        hint =
            "; ndsim models lists them; among those known are gpt2, gpt3-175b, llama3-8b, mixtral-8x7b, qwen3-8b, "
            "deepseek-v3, bert-large";
    }
    throw ProgramError(fmt::format("unknown model \"{}\"{}", name, hint));
}

}  // namespace sim::training
