#include "libsim/training/layer_modules.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace sim::training {

namespace {

constexpr std::array rows{
    LayerModuleRow{LayerModule::core_attention, "core_attn"},
    LayerModuleRow{LayerModule::norms, "layernorm"},
    LayerModuleRow{LayerModule::latent_up, "mla_up_proj"},
    LayerModuleRow{LayerModule::dense_ffn, "mlp"},
    LayerModuleRow{LayerModule::experts, "moe"},
    LayerModuleRow{LayerModule::shared_experts, "shared_experts"},
    LayerModuleRow{LayerModule::expert_activation, "moe_act"},
};

LayerModule module_named(std::string_view name) {
    const auto* const found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
    if (found == rows.end()) {
        std::vector<std::string> known;
        for (const LayerModuleRow& row : rows) {
            known.emplace_back(row.name);
        }
        const std::string near = did_you_mean(name, known);
        throw ProgramError(fmt::format("no module of a layer is called \"{}\"{}", name,
                                       near.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : near));
    }
    return found->one;
}

}  // namespace

std::span<const LayerModuleRow> layer_modules() {
    return rows;
}

std::string text_of(LayerModules modules, std::string_view between) {
    std::string text;
    for (const LayerModuleRow& row : rows) {
        if (modules.has(row.one)) {
            text += text.empty() ? "" : between;
            text += row.name;
        }
    }
    return text;
}

LayerModules layer_modules_of_text(std::string_view text) {
    LayerModules modules;
    while (true) {
        const std::size_t comma = std::min(text.find(','), text.size());
        modules |= module_named(text.substr(0, comma));
        if (comma == text.size()) {
            return modules;
        }
        text.remove_prefix(comma + 1);
    }
}

}  // namespace sim::training
