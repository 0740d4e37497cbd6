#include "libsim/config/toml_file.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

namespace sim::config {

namespace {

struct Found {
    toml::source_index line;
    TomlEntry entry;
};

// Quotes a key that holds dots or blanks.
std::string joined(const std::string& prefix, std::string_view key) {
    const bool bare = !key.empty() && key.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-") == std::string_view::npos;
    return fmt::format(fmt::runtime(bare ? "{}{}{}" : "{}{}\"{}\""), prefix, prefix.empty() ? "" : ".", key);
}

TomlValue value_of(const toml::node& node) {
    if (const auto* b = node.as_boolean()) {
        return b->get();
    }
    if (const auto* i = node.as_integer()) {
        return i->get();
    }
    if (const auto* f = node.as_floating_point()) {
        return f->get();
    }
    if (const auto* s = node.as_string()) {
        return s->get();
    }
    if (const auto* list = node.as_array()) {
        std::vector<double> numbers;
        for (const toml::node& element : *list) {
            if (!element.is_number()) {
                return OtherValue{"a list that is not of numbers"};
            }
            numbers.push_back(*element.value<double>());
        }
        return numbers;
    }
    return OtherValue{node.is_table() ? "a table" : "a date or time"};
}

bool is_list_of_tables(const toml::node& node) {
    const toml::array* list = node.as_array();
    return list != nullptr && !list->empty() &&
           std::all_of(list->begin(), list->end(), [](const toml::node& element) { return element.is_table(); });
}

void collect(const toml::table& table, const std::string& prefix, const std::string& file, std::vector<Found>& found) {
    for (const auto& [key, node] : table) {
        const std::string name = joined(prefix, key.str());
        const toml::table* inner = node.as_table();
        if (inner != nullptr && !inner->empty()) {
            collect(*inner, name, file, found);
            continue;
        }
        if (is_list_of_tables(node)) {
            for (std::size_t i = 0; i < node.as_array()->size(); ++i) {
                collect(*(*node.as_array())[i].as_table(), fmt::format("{}[{}]", name, i + 1), file, found);
            }
            continue;
        }
        const toml::source_index line = key.source().begin.line;
        found.push_back({line, {name, fmt::format("{}:{}", file, line), value_of(node)}});
    }
}

}  // namespace

std::vector<TomlEntry> read_toml(const std::string& file) {
    return toml_entries(read_toml_text(file), file);
}

std::vector<TomlEntry> toml_entries(const std::string& text, const std::string& file) {
    toml::table table;
    try {
        table = toml::parse(text, file);
    } catch (const toml::parse_error& error) {
        std::string what(error.description());
        std::replace(what.begin(), what.end(), '\n', ' ');
        throw UsageError(fmt::format("{}:{}: {}", file, error.source().begin.line, what));
    }
    std::vector<Found> found;
    collect(table, "", file, found);
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.line < b.line; });
    std::vector<TomlEntry> entries;
    for (Found& one : found) {
        entries.push_back(std::move(one.entry));
    }
    return entries;
}

std::string describe(const TomlValue& value) {
    struct Describer {
        std::string operator()(bool b) const { return b ? "true" : "false"; }
        std::string operator()(std::int64_t i) const { return fmt::format("{}", i); }
        std::string operator()(double d) const { return fmt::format("{}", d); }
        std::string operator()(const std::string& s) const { return fmt::format("\"{}\"", shortened(s)); }
        std::string operator()(const std::vector<double>&) const { return "a list"; }
        std::string operator()(const OtherValue& other) const { return other.type; }
    };
    return std::visit(Describer{}, value);
}

}  // namespace sim::config
