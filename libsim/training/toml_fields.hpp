// TomlFields reads one table of a TOML file into the fields of a part of a model (transformer_fields.hpp). Every error
// names the file, the line and the key.
#pragma once

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/training/transformer_fields.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sim::training {

class TomlFields {
public:
    TomlFields(const toml::table& table, std::string prefix, std::string where)
        : table_(table), prefix_(std::move(prefix)), where_(std::move(where)) {}

    bool has(const char* key) const { return table_.contains(key); }

    [[noreturn]] void refuse(const char* key, const std::string& what) const {
        throw ProgramError(fmt::format("{}:{}: {}", where_, table_.get(key)->source().begin.line, what));
    }

    void know_only(const std::vector<std::string>& known) const {
        for (const auto& [key, node] : table_) {
            if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
                throw ProgramError(fmt::format("{}:{}: unknown key {}{}{}", where_, key.source().begin.line, prefix_,
                                               key.str(), did_you_mean(key.str(), known, prefix_)));
            }
        }
    }

    TomlFields table(const char* key) const {
        const toml::node& node = *table_.get(key);
        if (!node.is_table()) {
            refuse(key, fmt::format("{}{} must be a table", prefix_, key));
        }
        return {*node.as_table(), fmt::format("{}{}.", prefix_, key), where_};
    }

    void read(const char* key, int& size) const {
        const toml::node& node = *table_.get(key);
        const auto* number = node.as_integer();
        if (number == nullptr || number->get() < 0 || number->get() > std::int64_t{1} << 30) {
            refuse(key, fmt::format("{}{} must be a whole number from 0 to 2^30", prefix_, key));
        }
        size = static_cast<int>(number->get());
    }

    void read(const char* key, bool& flag) const {
        const toml::node& node = *table_.get(key);
        if (!node.is_boolean()) {
            refuse(key, fmt::format("{}{} must be true or false", prefix_, key));
        }
        flag = node.as_boolean()->get();
    }

    void read(const char* key, std::string& text) const {
        const toml::node& node = *table_.get(key);
        if (!node.is_string()) {
            refuse(key, fmt::format("{}{} must be a text", prefix_, key));
        }
        text = node.as_string()->get();
    }

    void read(const char* key, std::vector<std::string>& texts) const {
        const toml::array* list = table_.get(key)->as_array();
        if (list == nullptr || !list->is_homogeneous<std::string>()) {
            refuse(key, fmt::format("{}{} must be a list of texts", prefix_, key));
        }
        for (const toml::node& one : *list) {
            texts.push_back(one.as_string()->get());
        }
    }

    // A number as its digits, or a text.
    void read_count(const char* key, std::string& count) const {
        if (const auto* number = table_.get(key)->as_integer()) {
            count = std::to_string(number->get());
        } else {
            read(key, count);
        }
    }

    std::vector<TomlFields> list(const char* key) const {
        const toml::array* list = table_.get(key)->as_array();
        if (list == nullptr || !list->is_homogeneous<toml::table>()) {
            refuse(key, fmt::format("{}{} must be a list of tables", prefix_, key));
        }
        std::vector<TomlFields> tables;
        for (const toml::node& one : *list) {
            tables.emplace_back(*one.as_table(), fmt::format("{}{}[{}].", prefix_, key, tables.size() + 1), where_);
        }
        return tables;
    }

    template <class Part>
    void read_fields(Part& part) const {
        const auto read_one = [&](const auto& field) {
            if (has(field.name)) {
                read(field.name, part.*field.field);
            }
        };
        std::for_each(Fields<Part>::sizes.begin(), Fields<Part>::sizes.end(), read_one);
        std::for_each(Fields<Part>::flags.begin(), Fields<Part>::flags.end(), read_one);
    }

    template <class Part>
    void read_table(const char* key, Part& part) const {
        const TomlFields inner = table(key);
        inner.know_only(names_of<Part>({}));
        inner.read_fields(part);
    }

    // The names of the fields and `others`.
    template <class Part>
    static std::vector<std::string> names_of(std::vector<std::string> others) {
        const auto add = [&others](const auto& field) { others.emplace_back(field.name); };
        std::for_each(Fields<Part>::sizes.begin(), Fields<Part>::sizes.end(), add);
        std::for_each(Fields<Part>::flags.begin(), Fields<Part>::flags.end(), add);
        return others;
    }

private:
    const toml::table& table_;
    std::string prefix_;
    std::string where_;
};

}  // namespace sim::training
