// Modules are the parts of a layer that selective recomputation may drop after the forward pass and repeat before the
// backward pass: those of Megatron-LM's --recompute-modules, by its names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sim::training {

enum class LayerModule : std::uint8_t {
    core_attention,     // scores and softmax; flash attention keeps neither
    norms,              // before attention and before the feed-forward part
    latent_up,          // latent attention: from the small vectors to the heads, including rotary positions
    dense_ffn,          // of a layer without experts, including its collectives
    experts,            // all of a layer's experts: router, dispatch, products, combine, shared experts
    shared_experts,     // only the shared experts
    expert_activation,  // between the products of the routed experts
};

struct LayerModuleRow {
    LayerModule one;        // `module` would be a keyword to Doxygen 1.9.8
    std::string_view name;  // Megatron-LM's
};
std::span<const LayerModuleRow> layer_modules();

// A set of modules. Cost: one byte.
class LayerModules {
public:
    constexpr LayerModules() = default;
    constexpr LayerModules(LayerModule one) : bits_(bit(one)) {}

    constexpr bool has(LayerModule one) const { return (bits_ & bit(one)) != 0; }
    constexpr bool has_any_of(LayerModules others) const { return (bits_ & others.bits_) != 0; }
    constexpr LayerModules& operator|=(LayerModules others) {
        bits_ = static_cast<std::uint8_t>(bits_ | others.bits_);
        return *this;
    }

    friend constexpr bool operator==(const LayerModules&, const LayerModules&) = default;

private:
    static constexpr std::uint8_t bit(LayerModule one) {
        return static_cast<std::uint8_t>(1U << static_cast<unsigned>(one));
    }
    std::uint8_t bits_ = 0;
};

// Names joined by `between`, in the order of layer_modules(): "core_attn,moe_act".
std::string text_of(LayerModules modules, std::string_view between = ",");
// Reads comma-separated names. Throws ProgramError for an unknown name, with the nearest one.
LayerModules layer_modules_of_text(std::string_view text);

}  // namespace sim::training
