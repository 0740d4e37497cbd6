#include "libsim/fit/validation/practice_table.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/option_row.hpp"
#include "libsim/nearest.hpp"
#include "libsim/predict/training_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sim::fit {

using namespace config;

namespace {

OptionRow key(const char* name, decltype(OptionRow::kind) kind) {
    return {name, "", "", std::move(kind)};
}

// The keys of a practice, each with the member that it sets; those of its habits are the options of a layout.
std::vector<OptionRow> keys_of(Practice& practice, training::Layout& habits) {
    std::vector<OptionRow> keys{
        key("framework", text(practice.framework)),
        key("words", text(practice.words)),
        key("also", text(practice.also)),
        key("since", whole(practice.since, 0, 9912)),
        key("gpus", text(practice.gpus)),
        key("precisions", text(practice.precisions)),
        key("zero", whole(practice.zero, 0, 3)),
        key("fp32_gradients", on_off(practice.fp32_gradients)),
        key("fp32_gradients_bf16", on_off(practice.fp32_gradients_bf16)),
        key("sequence_parallel", on_off(practice.sequence_parallel)),
        key("vocabulary", whole(practice.vocabulary, 1, 1 << 24)),
        key("pads_vocabulary", on_off(practice.pads_vocabulary)),
        key("causal_half", on_off(practice.causal_half)),
        key("memory", one_of(practice.memory, {MemoryMeans::allocated, MemoryMeans::reserved, MemoryMeans::device})),
        key("keeps_gathered", on_off(practice.keeps_gathered)),
        key("micro_batches_are_stages", on_off(practice.micro_batches_are_stages)),
        key("chunks", whole(practice.chunks, 0, 1'000)),
        key("deferred_output_wgrads", whole(practice.deferred_output_wgrads, 0, 1'000'000)),
        key("hides_dispatch", on_off(practice.hides_dispatch)),
        key("has_recipes", on_off(practice.has_recipes)),
        key("offloads", on_off(practice.offloads)),
        key("products", real(practice.products, 0, 10)),
        key("why", text(practice.why))};
    for (OptionRow& row : predict::layout_rows(habits)) {
        std::replace(row.name.begin(), row.name.end(), '-', '_');
        row.name = "habits." + row.name;
        keys.push_back(std::move(row));
    }
    return keys;
}

std::vector<OptionRow> keys_of(Recipe& recipe, training::Layout& layout) {
    std::vector<OptionRow> keys{key("models", text(recipe.models)),
                                key("gpus", text(recipe.gpus)),
                                key("precisions", text(recipe.precisions)),
                                key("since", whole(recipe.since, 0, 9912)),
                                key("fp8_attention", on_off(recipe.fp8_attention)),
                                key("fp8_logits", on_off(recipe.fp8_logits))};
    for (OptionRow& row : predict::layout_rows(layout)) {
        if (row.name == "recompute-modules") {
            keys.push_back(std::move(row));
            keys.back().name = "recompute";
        }
    }
    return keys;
}

// The entries of one table of the file.
class Table {
public:
    Table(const std::vector<TomlEntry>& entries, const std::string& prefix) {
        for (const TomlEntry& entry : entries) {
            if (entry.key.starts_with(prefix)) {
                entries_.emplace_back(entry.key.substr(prefix.size()), &entry);
            }
        }
    }

    bool is_empty() const { return entries_.empty(); }

    void set(const std::vector<OptionRow>& keys) const {
        for (const auto& [name, entry] : entries_) {
            const OptionRow* const row = find_row(keys, name);
            if (row != nullptr) {
                set_option(*row, fmt::format("{}: {}", entry->where, entry->key), entry->value);
            } else if (name != "shared") {
                throw UsageError(fmt::format("{}: unknown key {}{}", entry->where, entry->key,
                                             did_you_mean(name, option_names(keys))));
            }
        }
    }

    // The name of the table with further keys, or "".
    std::string shared() const {
        for (const auto& [name, entry] : entries_) {
            const auto* const table = std::get_if<std::string>(&entry->value);
            if (name == "shared" && table != nullptr) {
                return *table;
            }
        }
        return "";
    }

private:
    std::vector<std::pair<std::string, const TomlEntry*>> entries_;
};

}  // namespace

PracticeTable practice_table_of(const std::string& text, const std::string& file) {
    const std::vector<TomlEntry> entries = toml_entries(text, file);
    PracticeTable result;
    for (int i = 1;; ++i) {
        const Table table(entries, fmt::format("practice[{}].", i));
        if (table.is_empty()) {
            break;
        }
        Practice& practice = result.practices.emplace_back();
        training::Layout habits;
        const std::vector<OptionRow> keys = keys_of(practice, habits);
        if (const std::string name = table.shared(); !name.empty()) {
            const Table shared(entries, fmt::format("shared.{}.", name));
            if (shared.is_empty()) {
                throw UsageError(fmt::format("{}: practice[{}].shared: there is no table [shared.{}]", file, i, name));
            }
            shared.set(keys);
        }
        table.set(keys);
        practice.habits = habits.framework;
    }
    for (int i = 1;; ++i) {
        const Table table(entries, fmt::format("recipe[{}].", i));
        if (table.is_empty()) {
            break;
        }
        Recipe& recipe = result.recipes.emplace_back();
        training::Layout layout;
        table.set(keys_of(recipe, layout));
        if (layout.framework.names_modules()) {
            recipe.recompute = layout.framework.recompute_modules;
        }
    }
    return result;
}

}  // namespace sim::fit
