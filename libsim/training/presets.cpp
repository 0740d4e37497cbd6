#include "libsim/training/presets.hpp"

#include "libsim/error.hpp"
#include "libsim/known_name.hpp"
#include "libsim/training/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace sim::training {

namespace {

struct OtherName {
    std::string_view name;
    std::string_view preset;
};
// Names of models with the same shape.
constexpr std::array other_names{OtherName{"deepseek-r1", "deepseek-v3"}, OtherName{"deepseek-v3.1", "deepseek-v3"},
                                 OtherName{"glm4.6", "glm4.5"}};

std::vector<Transformer> all() {
    std::vector<Transformer> models;
    for (const auto& family : {gpt_models(), llama_models(), expert_models()}) {
        models.insert(models.end(), family.begin(), family.end());
    }
    return models;
}

std::vector<KnownName> known_names() {
    std::vector<KnownName> known;
    for (const Transformer& model : presets()) {
        known.push_back({model.name, known.size()});
    }
    const std::size_t own_names = known.size();
    for (const OtherName& other : other_names) {
        const auto row =
            static_cast<std::size_t>(std::find_if(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(own_names),
                                                  [&](const KnownName& one) { return one.name == other.preset; }) -
                                     known.begin());
        known.push_back({std::string(other.name), row});
    }
    return known;
}

std::string_view without_publisher(std::string_view name) {
    return name.substr(name.find_last_of('/') + 1);
}

// Removes the variant: Llama-3.1-8B-Instruct becomes Llama-3.1-8B.
std::string_view without_variant(std::string_view name) {
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view variant :
             {"-instruct", "-Instruct", "-base", "-Base", "-chat", "-hf", "-it", "-pt"}) {
            if (name.size() > variant.size() && name.ends_with(variant)) {
                name.remove_suffix(variant.size());
                again = true;
            }
        }
    }
    return name;
}

const Transformer* find(std::string_view name) {
    const std::vector<KnownName> known = known_names();
    const std::string_view own = without_publisher(name);
    for (const std::string_view typed : {own, without_variant(own)}) {
        if (const auto row = row_meant(typed, known)) {
            return &presets()[*row];
        }
    }
    return nullptr;
}

}  // namespace

std::span<const Transformer> presets() {
    static const std::vector<Transformer> models = all();
    return models;
}

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    std::transform(presets().begin(), presets().end(), std::back_inserter(names),
                   [](const Transformer& model) { return model.name; });
    return names;
}

bool is_preset(std::string_view name) {
    return find(name) != nullptr;
}

Transformer preset(std::string_view name) {
    if (const Transformer* model = find(name)) {
        return *model;
    }
    std::string hint = name_hint(without_publisher(name), known_names());
    if (hint.empty()) {
        hint =
            "; ndsim models lists them; among those known are gpt2, gpt3-175b, llama3-8b, mixtral-8x7b, qwen3-8b, "
            "deepseek-v3, bert-large";
    }
    throw ProgramError(fmt::format("unknown model \"{}\"{}", name, hint));
}

}  // namespace sim::training
