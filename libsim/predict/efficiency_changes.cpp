#include "libsim/predict/efficiency_changes.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "libsim/split.hpp"
#include "libsim/training/hardware.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace sim::predict {

namespace {

const training::EfficiencyField& field_named(const std::string& key) {
    std::vector<std::string> known;
    for (const training::EfficiencyField& field : training::efficiency_fields()) {
        if (field.name == key) {
            return field;
        }
        known.emplace_back(field.name);
    }
    throw config::UsageError(fmt::format("--efficiency: there is no \"{}\"{}", key, did_you_mean(key, known)));
}

void check_generation(const std::string& generation) {
    std::set<std::string> known;
    for (const std::string& name : training::accelerator_names()) {
        known.insert(training::accelerator(name).generation);
    }
    if (!known.contains(generation)) {
        const std::vector<std::string> names(known.begin(), known.end());
        const std::string near = did_you_mean(generation, names);
        throw config::UsageError(fmt::format("--efficiency: there is no generation \"{}\"{}", generation,
                                             near.empty() ? fmt::format("; known: {}", fmt::join(names, ", ")) : near));
    }
}

EfficiencyChange change_of(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
        throw config::UsageError(
            fmt::format("--efficiency must be KEY=VALUE or GENERATION.KEY=VALUE, not \"{}\"", text));
    }
    const std::string name = text.substr(0, equals);
    const std::size_t dot = name.find('.');
    EfficiencyChange change;
    if (dot != std::string::npos) {
        change.generation = name.substr(0, dot);
        check_generation(change.generation);
    }
    const training::EfficiencyField& field = field_named(dot == std::string::npos ? name : name.substr(dot + 1));
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, change.value);
    if (error != std::errc{} || stop != end || !(change.value >= field.lowest && change.value <= field.highest)) {
        throw config::UsageError(fmt::format("--efficiency: {} must be a number from {} to {:.12g}, not \"{}\"",
                                             field.name, field.lowest, field.highest, text.substr(equals + 1)));
    }
    change.field = field.field;
    return change;
}

}  // namespace

std::vector<EfficiencyChange> efficiency_changes(const std::string& text) {
    std::vector<EfficiencyChange> changes;
    for (const std::string& part : split(text, ',')) {
        changes.push_back(change_of(part));
    }
    return changes;
}

void change_efficiency(training::Accelerator& gpu, const std::vector<EfficiencyChange>& changes) {
    for (const EfficiencyChange& change : changes) {
        if (change.generation.empty() || change.generation == gpu.generation) {
            gpu.efficiency.*change.field = change.value;
        }
    }
}

}  // namespace sim::predict
