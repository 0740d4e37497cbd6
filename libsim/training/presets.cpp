#include "libsim/training/presets.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/training/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace sim::training {

namespace {

std::string lower(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return small;
}

std::vector<Transformer> all() {
    std::vector<Transformer> models;
    for (const auto& family : {gpt_models(), llama_models(), expert_models()}) {
        models.insert(models.end(), family.begin(), family.end());
    }
    return models;
}

const Transformer* find(std::string_view name) {
    const std::string wanted = lower(name);
    const std::span<const Transformer> models = presets();
    const auto at = std::find_if(models.begin(), models.end(), [&](const auto& model) { return model.name == wanted; });
    return at == models.end() ? nullptr : &*at;
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
    std::string hint = did_you_mean(lower(name), preset_names());
    if (hint.empty()) {
        hint = "; among those known are gpt2, gpt3-175b, llama3-8b, mixtral-8x7b, qwen3-8b, deepseek-v3, bert-large";
    }
    throw ProgramError(fmt::format("unknown model \"{}\"{}", name, hint));
}

}  // namespace sim::training
