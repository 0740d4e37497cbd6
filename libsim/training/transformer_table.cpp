#include "libsim/training/transformer_table.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/training/presets.hpp"
#include "libsim/training/transformer_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <vector>

namespace sim::training {

namespace {

constexpr std::int64_t largest_number = 1 << 30;

// One table of the file.
class Table {
public:
    Table(const toml::table& table, std::string prefix, std::string where)
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

    Table table(const char* key) const {
        const toml::node& node = *table_.get(key);
        if (!node.is_table()) {
            refuse(key, fmt::format("{}{} must be a table", prefix_, key));
        }
        return {*node.as_table(), fmt::format("{}{}.", prefix_, key), where_};
    }

    void read(const char* key, int& size) const {
        const toml::node& node = *table_.get(key);
        const auto* number = node.as_integer();
        if (number == nullptr || number->get() < 0 || number->get() > largest_number) {
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

    std::vector<Table> list(const char* key) const {
        const toml::array* list = table_.get(key)->as_array();
        if (list == nullptr || !list->is_homogeneous<toml::table>()) {
            refuse(key, fmt::format("{}{} must be a list of tables", prefix_, key));
        }
        std::vector<Table> tables;
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
        const Table inner = table(key);
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

Transformer base_of(const Table& table) {
    if (!table.has("preset")) {
        return {};
    }
    std::string name;
    table.read("preset", name);
    try {
        return preset(name);
    } catch (const ProgramError& error) {
        table.refuse("preset", error.what());
    }
}

// A model described by several tables: a key of a later one stands before the same key of an earlier one.
class Description {
public:
    explicit Description(std::vector<Table> tables) : tables_(std::move(tables)) {}

    // `base` supplies the keys that are in no table.
    Transformer model(const Transformer& base) const {
        Transformer model = base;
        for (const Table& table : tables_) {
            read(table, model);
        }
        derive(base, model);
        check_transformer(model);
        return model;
    }

    void require(std::initializer_list<const char*> keys) const {
        for (const char* key : keys) {
            if (!has(key)) {
                throw ProgramError(fmt::format("{} is missing, and no preset says it", key));
            }
        }
    }

private:
    bool has(const char* key) const {
        return std::any_of(tables_.begin(), tables_.end(), [&](const Table& table) { return table.has(key); });
    }

    static void read(const Table& table, Transformer& model) {
        if (table.has("name")) {
            table.read("name", model.name);
        }
        table.read_fields(model);
        if (table.has("experts")) {
            table.read_table("experts", model.experts);
        }
        read_part(table, "latent", model.latent);
        if (table.has("sliding")) {
            table.read_table("sliding", model.sliding);
        }
        read_part(table, "sparse", model.sparse);
        read_part(table, "patches", model.patches);
        read_part(table, "conditioning", model.conditioning);
        read_part(table, "encoder", model.encoder);
        read_part(table, "per_layer", model.per_layer);
        if (table.has("pattern")) {
            table.read("pattern", model.pattern);
        }
        if (table.has("linear")) {
            model.linear = model.linear.value_or(LinearAttention{});
            read_linear(table.table("linear"), *model.linear);
        }
    }

    template <class Part>
    static void read_part(const Table& table, const char* key, std::optional<Part>& part) {
        if (table.has(key)) {
            part = part.value_or(Part{});
            table.read_table(key, *part);
        }
    }

    static void read_linear(const Table& table, LinearAttention& linear) {
        table.know_only(Table::names_of<LinearAttention>({"kind"}));
        table.read_fields(linear);
        if (table.has("kind")) {
            std::string name;
            table.read("kind", name);
            linear.kind = linear_kind_named(table, name);
        }
    }

    static LinearKind linear_kind_named(const Table& table, const std::string& name) {
        std::vector<std::string> known;
        for (const LinearKindRow& row : linear_kinds()) {
            if (row.name == name) {
                return row.kind;
            }
            known.emplace_back(row.name);
        }
        table.refuse("kind", fmt::format("linear.kind = \"{}\" must be {}{}", name, fmt::join(known, ", "),
                                         did_you_mean(name, known)));
    }

    // Derives fields from others unless they were given.
    void derive(const Transformer& base, Transformer& model) const {
        const bool all_heads = base.kv_heads == base.heads || model.latent;
        if (!has("kv_heads") && all_heads) {
            model.kv_heads = model.heads;
        }
        if (has("head_dim")) {
            return;
        }
        if (model.latent) {
            model.head_dim = model.latent->plain_dim + model.latent->rotary_dim;
        } else if (base.heads == 0 || base.latent || base.head_dim * base.heads == base.hidden) {
            const bool divides = model.heads > 0 && model.hidden % model.heads == 0;
            model.head_dim = divides ? model.hidden / model.heads : 0;
        }
    }

    std::vector<Table> tables_;
};

// The keys of a model beside its fields, and `others`.
std::vector<std::string> keys_of_models(std::vector<std::string> others) {
    others.insert(others.end(), {"experts", "latent", "sliding", "sparse", "linear", "pattern", "patches",
                                 "conditioning", "encoder", "per_layer"});
    return Table::names_of<Transformer>(std::move(others));
}

constexpr std::initializer_list<const char*> required{"layers", "hidden", "heads", "vocabulary", "sequence"};

Transformer read_model(const Table& table) {
    table.know_only(keys_of_models({"name", "preset"}));
    const Description description({table});
    const Transformer base = base_of(table);
    if (!table.has("preset")) {
        description.require(required);
    }
    return description.model(base);
}

PublishedModel read_published(const Table& family, const Table& row) {
    row.know_only(keys_of_models({"name", "aliases", "source", "parameters"}));
    const Description description({family, row});
    description.require(required);
    PublishedModel published{.model = description.model({}), .aliases = {}, .source = {}, .parameters = {}};
    for (const Table* table : {&family, &row}) {
        if (table->has("source")) {
            table->read("source", published.source);
        }
    }
    if (row.has("aliases")) {
        row.read("aliases", published.aliases);
    }
    if (row.has("parameters")) {
        row.read_count("parameters", published.parameters);
    }
    return published;
}

toml::table parsed(std::string_view text, const std::string& where) {
    try {
        return toml::parse(text, where);
    } catch (const toml::parse_error& error) {
        std::string what(error.description());
        std::replace(what.begin(), what.end(), '\n', ' ');
        throw ProgramError(fmt::format("{}:{}: {}", where, error.source().begin.line, what));
    }
}

std::string quoted(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            escaped += '\\';
            escaped += c;
        } else if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
            escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
            escaped += c;
        }
    }
    return fmt::format("\"{}\"", escaped);
}

// An error of `read` that names no place in the file names the file.
template <class Read>
auto in_file(const std::string& where, Read read) {
    try {
        return read();
    } catch (const ProgramError& error) {
        const std::string what = error.what();
        throw ProgramError(what.starts_with(where + ":") ? what : fmt::format("{}: {}", where, what));
    }
}

template <class Part>
std::string lines_of(const Part& part);

template <class Part>
std::string table_of(const char* name, const std::optional<Part>& part) {
    return part ? fmt::format("\n[model.{}]\n{}", name, lines_of(*part)) : "";
}

template <class Part>
std::string lines_of(const Part& part) {
    std::string lines;
    for (const auto& field : Fields<Part>::sizes) {
        lines += fmt::format("{} = {}\n", field.name, part.*field.field);
    }
    for (const auto& field : Fields<Part>::flags) {
        lines += fmt::format("{} = {}\n", field.name, part.*field.field);
    }
    return lines;
}

}  // namespace

Transformer transformer_of_toml(std::string_view text, const std::string& where) {
    const toml::table file = parsed(text, where);
    return in_file(where, [&] {
        const Table top(file, "", where);
        if (!top.has("model")) {
            return read_model(top);
        }
        top.know_only({"model"});
        return read_model(top.table("model"));
    });
}

std::vector<PublishedModel> family_of_toml(std::string_view text, const std::string& where) {
    const toml::table file = parsed(text, where);
    return in_file(where, [&] {
        const Table family(file, "", where);
        family.know_only(keys_of_models({"source", "models"}));
        std::vector<PublishedModel> models;
        if (family.has("models")) {
            for (const Table& row : family.list("models")) {
                models.push_back(read_published(family, row));
            }
        }
        return models;
    });
}

std::string transformer_toml(const Transformer& model) {
    std::string text = fmt::format("[model]\nname = {}\n{}", quoted(model.name), lines_of(model));
    text += model.pattern.empty() ? "" : fmt::format("pattern = {}\n", quoted(model.pattern));
    if (model.experts != Experts{}) {
        text += "\n[model.experts]\n" + lines_of(model.experts);
    }
    text += table_of("latent", model.latent);
    if (model.sliding != SlidingWindow{}) {
        text += "\n[model.sliding]\n" + lines_of(model.sliding);
    }
    text += table_of("sparse", model.sparse) + table_of("patches", model.patches) +
            table_of("conditioning", model.conditioning) + table_of("encoder", model.encoder) +
            table_of("per_layer", model.per_layer);
    if (model.linear) {
        text += fmt::format("\n[model.linear]\nkind = \"{}\"\n{}", row_of(model.linear->kind).name,
                            lines_of(*model.linear));
    }
    return text;
}

}  // namespace sim::training
