#include "libsim/training/layout_field_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sim::training::field_rows {

namespace {

// The enumerators of a table, one in each row.
template <auto table, auto enumerator>
auto each_of() {
    std::vector<std::remove_cvref_t<decltype(table().front().*enumerator)>> found;
    for (const auto& row : table()) {
        found.push_back(row.*enumerator);
    }
    return found;
}
constexpr auto every_precision = each_of<precisions, &PrecisionRow::precision>;
constexpr auto every_base = each_of<base_precisions, &BasePrecisionRow::precision>;

std::vector<std::string> names_of_rows() {
    std::vector<std::string> names;
    for (const OptimizerRow& row : optimizers()) {
        names.emplace_back(row.name);
    }
    return names;
}
std::vector<std::string> all_optimizer_names() {
    std::vector<std::string> names;
    for (const OptimizerName& one : optimizer_names()) {
        names.emplace_back(one.name);
    }
    return names;
}

// The frameworks' default is adam.
bool is_another_optimizer(const Layout& layout) {
    return layout.numerics.optimizer != Optimizer();
}
bool lacks_optimizer(const Layout& layout) {
    return layout.numerics.optimizer->megatron == nullptr;
}
bool says_optimizer(const Layout& layout) {
    return is_another_optimizer(layout) && !lacks_optimizer(layout);
}
std::string megatron_optimizer(const Layout& layout) {
    return layout.numerics.optimizer->megatron;
}

bool has_adapters(const Layout& layout) {
    return layout.adapters.exist();
}

}  // namespace

void add_arithmetic(Fields& fields) {
    fields.insert(
        fields.end(),
        {{"precision", "NAME",
          fmt::format("number format of linear layers: {} (bf16; fp16 or fp32 on GPUs without it)",
                      fmt::join(names_of(every_precision()), ", ")),
          "Number format of matrix products: fp32, fp16, bf16, fp8 or another quantised format.",
          named<every_precision, numerics_of, &Numerics::precision>()},
         whole<numerics_of, &Numerics::first_layers_bf16>(
             "first-layers-bf16", 0, most_of_a_field, "number of first layers kept in bf16 if others are quantised (0)",
             "Number of first layers of the model that are not quantised."),
         whole<numerics_of, &Numerics::last_layers_bf16>(
             "last-layers-bf16", 0, most_of_a_field, "number of last layers kept in bf16 if others are quantised (0)",
             "Number of last layers of the model that are not quantised."),
         toggle<framework_of, &Framework::fp8_attention>(
             "fp8-attention", "attention's products in 1 byte, too, if linear layers are quantised (off)",
             "Whether attention's products are in 1 byte, too, if linear layers are quantised."),
         toggle<framework_of, &Framework::fp8_logits>("fp8-logits",
                                                      "the logits' product in the linear layers' format (off: bf16)",
                                                      "Whether the logits' product has the linear layers' format."),
         launched({"optimizer", "NAME", fmt::format("optimizer: {} (adam)", fmt::join(names_of_rows(), ", ")),
                   fmt::format("Optimizer: {}.", fmt::join(names_of_rows(), ", ")),
                   NameField{all_optimizer_names,
                             [](const Layout& layout) { return std::string(name_of(layout.numerics.optimizer)); },
                             [](Layout& layout, std::size_t i) {
                                 layout.numerics.optimizer = optimizer_names()[i].optimizer;
                             }}},
                  {{.launcher = megatron, .text = "{}", .said = says_optimizer, .value = megatron_optimizer},
                   {megatron, "optimizer {}", lacks_optimizer, LaunchFlag::Says::lacks},
                   {torchtitan, "optimizer {}", is_another_optimizer, LaunchFlag::Says::lacks}})});
}

void add_adapters(Fields& fields) {
    fields.push_back(rare(launched(whole<adapters_of, &Adapters::rank>(
                                       "lora-rank", 1, largest_adapter_rank,
                                       "rank of LoRA's adapters, which are trained instead of the model (no adapters)",
                                       "Rank of the adapters that are trained instead of the model."),
                                   {{megatron, "LoRA", has_adapters, LaunchFlag::Says::lacks},
                                    {torchtitan, "LoRA", has_adapters, LaunchFlag::Says::lacks}})));
    fields.push_back(rare({"lora-targets", "NAME", "products with adapters: all-linear or attention (all-linear)",
                           "Products of a layer that have adapters: all-linear or attention.",
                           named<these<AdapterTargets, AdapterTargets::all_linear, AdapterTargets::attention>,
                                 adapters_of, &Adapters::targets>()}));
    fields.push_back(
        rare({"base-precision", "NAME",
              fmt::format("number format of the frozen matrices beside adapters: {} (unquantised; nf4 is QLoRA)",
                          fmt::join(names_of(every_base()), " or ")),
              fmt::format("Number format of the frozen matrices beside adapters: {}.",
                          fmt::join(names_of(every_base()), " or ")),
              named<every_base, adapters_of, &Adapters::base>()}));
}

}  // namespace sim::training::field_rows
