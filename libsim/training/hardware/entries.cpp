#include "libsim/training/hardware/entries.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

namespace sim::training {

namespace {

struct Collector {
    const std::string& file;
    std::vector<std::pair<toml::source_index, HardwareEntry>> found;
};

std::string place(const std::string& file, const toml::source_region& source) {
    return fmt::format("{}:{}", file, source.begin.line);
}

HardwareValue value_of(const toml::node& node) {
    if (const auto* b = node.as_boolean()) {
        return b->get();
    }
    if (const auto* i = node.as_integer()) {
        return static_cast<double>(i->get());
    }
    if (const auto* f = node.as_floating_point()) {
        return f->get();
    }
    if (const auto* s = node.as_string()) {
        return s->get();
    }
    if (const auto* list = node.as_array()) {
        std::vector<std::string> texts;
        for (const toml::node& element : *list) {
            if (!element.is_string()) {
                return OtherKind{"a list"};
            }
            texts.push_back(element.as_string()->get());
        }
        return texts;
    }
    return OtherKind{node.is_table() ? "a table" : "a date or time"};
}

// The text under `key`, or the enclosing table's.
std::string text_of(const toml::table& table, std::string_view key, const std::string& inherited,
                    const Collector& into) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
        return inherited;
    }
    if (!node->is_string() || node->as_string()->get().empty()) {
        throw ProgramError(fmt::format("{}: {} must be a text, not {}", place(into.file, node->source()), key,
                                       describe(value_of(*node))));
    }
    return node->as_string()->get();
}

void check_sourced_keys(const toml::table& table, const std::string& name, const Collector& into) {
    for (const auto& [key, node] : table) {
        if (key.str() != "value" && key.str() != "source" && key.str() != "confidence") {
            throw ProgramError(fmt::format("{}: unknown key {}.{}{}", place(into.file, key.source()), name, key.str(),
                                           did_you_mean(key.str(), {"value", "source", "confidence"})));
        }
    }
}

void check_confidence(const toml::table& table, const std::string& confidence, const Collector& into) {
    if (!confidence.empty() && confidence != "A" && confidence != "B" && confidence != "C") {
        throw ProgramError(fmt::format("{}: confidence must be \"A\", \"B\" or \"C\", not \"{}\"",
                                       place(into.file, table.source()), confidence));
    }
}

void collect(const toml::table& table, const std::string& prefix, const HardwareEntry& inherited, Collector& into) {
    HardwareEntry around = inherited;
    around.source = text_of(table, "source", inherited.source, into);
    around.confidence = text_of(table, "confidence", inherited.confidence, into);
    check_confidence(table, around.confidence, into);
    for (const auto& [key, node] : table) {
        if (key.str() == "source" || key.str() == "confidence") {
            continue;
        }
        HardwareEntry entry = around;
        entry.key = prefix + std::string(key.str());
        entry.where = place(into.file, key.source());
        const toml::table* inner = node.as_table();
        if (inner != nullptr && !inner->contains("value")) {
            collect(*inner, entry.key + ".", around, into);
            continue;
        }
        if (inner != nullptr) {
            check_sourced_keys(*inner, entry.key, into);
            entry.source = text_of(*inner, "source", around.source, into);
            entry.confidence = text_of(*inner, "confidence", around.confidence, into);
            check_confidence(*inner, entry.confidence, into);
        }
        entry.value = value_of(inner != nullptr ? *inner->get("value") : node);
        into.found.emplace_back(key.source().begin.line, std::move(entry));
    }
}

}  // namespace

std::vector<HardwareEntry> hardware_entries(std::string_view text, const std::string& where) {
    toml::table table;
    try {
        table = toml::parse(text, where);
    } catch (const toml::parse_error& error) {
        std::string what(error.description());
        std::replace(what.begin(), what.end(), '\n', ' ');
        throw ProgramError(fmt::format("{}: {}", place(where, error.source()), what));
    }
    Collector into{where, {}};
    collect(table, "", {}, into);
    std::stable_sort(into.found.begin(), into.found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<HardwareEntry> entries;
    for (auto& [line, entry] : into.found) {
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::string describe(const HardwareValue& value) {
    struct Describer {
        std::string operator()(bool b) const { return b ? "true" : "false"; }
        std::string operator()(double d) const { return fmt::format("{}", d); }
        std::string operator()(const std::string& s) const { return fmt::format("\"{}\"", s); }
        std::string operator()(const std::vector<std::string>&) const { return "a list"; }
        std::string operator()(const OtherKind& other) const { return other.what; }
    };
    return std::visit(Describer{}, value);
}

}  // namespace sim::training
