#include "libsim/training/transformer_table.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/training/presets.hpp"
#include "libsim/training/toml_fields.hpp"
#include "libsim/training/transformer_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <vector>

namespace sim::training {

namespace {

Transformer base_of(const TomlFields& table) {
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

// The keys of a model beside its fields, and `others`.
std::vector<std::string> keys_of_models(std::vector<std::string> others) {
    others.insert(others.end(), {"experts", "latent", "sliding", "sparse", "linear", "pattern", "patches",
                                 "conditioning", "encoder", "per_layer", "tower"});
    return TomlFields::names_of<Transformer>(std::move(others));
}

// A model described by several tables: a key of a later one stands before the same key of an earlier one.
class Description {
public:
    explicit Description(std::vector<TomlFields> tables) : tables_(std::move(tables)) {}

    // `base` supplies the keys that are in no table.
    Transformer model(const Transformer& base) const {
        Transformer model = base;
        for (const TomlFields& table : tables_) {
            read(table, model);
        }
        derive(base, model);
        read_tower(base, model);
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
        return std::any_of(tables_.begin(), tables_.end(), [&](const TomlFields& table) { return table.has(key); });
    }

    static void read(const TomlFields& table, Transformer& model) {
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
    static void read_part(const TomlFields& table, const char* key, std::optional<Part>& part) {
        if (table.has(key)) {
            part = part.value_or(Part{});
            table.read_table(key, *part);
        }
    }

    static void read_linear(const TomlFields& table, LinearAttention& linear) {
        table.know_only(TomlFields::names_of<LinearAttention>({"kind"}));
        table.read_fields(linear);
        if (table.has("kind")) {
            std::string name;
            table.read("kind", name);
            linear.kind = linear_kind_named(table, name);
        }
    }

    static LinearKind linear_kind_named(const TomlFields& table, const std::string& name) {
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

    // A tower's table has its own keys and those of its transformer.
    void read_tower(const Transformer& base, Transformer& model) const {
        std::vector<TomlFields> tables;
        for (const TomlFields& table : tables_) {
            if (table.has("tower")) {
                tables.push_back(table.table("tower"));
            }
        }
        if (tables.empty()) {
            return;
        }
        Tower tower = base.tower ? *base.tower : Tower{.model = blank_tower()};
        Transformer patches = tower.model;
        for (const TomlFields& table : tables) {
            table.know_only(TomlFields::names_of<Tower>(keys_of_models({"name", "preset"})));
            table.read_fields(tower);
            patches = table.has("preset") ? base_of(table) : patches;
        }
        tower.model = Description(tables).model(patches);
        model.tower = tower;
    }

    static Transformer blank_tower() {
        return {.name = "tower", .vocabulary = 1, .causal = false, .tied_embeddings = false, .learned_positions = true};
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

    std::vector<TomlFields> tables_;
};

constexpr std::initializer_list<const char*> required{"layers", "hidden", "heads", "vocabulary", "sequence"};

Transformer read_model(const TomlFields& table) {
    table.know_only(keys_of_models({"name", "preset"}));
    const Description description({table});
    const Transformer base = base_of(table);
    if (!table.has("preset")) {
        description.require(required);
    }
    return description.model(base);
}

PublishedModel read_published(const TomlFields& family, const TomlFields& row) {
    row.know_only(keys_of_models({"name", "preset", "aliases", "source", "parameters"}));
    const Description description({family, row});
    const Transformer base = base_of(row);
    if (!row.has("preset")) {
        description.require(required);
    }
    PublishedModel published{.model = description.model(base), .aliases = {}, .source = {}, .parameters = {}};
    for (const TomlFields* table : {&family, &row}) {
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

// The lines behind the table's head, and the tables within it; `where` is the table's name.
std::string text_of_model(const Transformer& model, const std::string& where) {
    std::string text = fmt::format("name = {}\n{}", quoted(model.name), lines_of(model));
    text += model.pattern.empty() ? "" : fmt::format("pattern = {}\n", quoted(model.pattern));
    const auto add = [&](const char* name, const std::string& lines) {
        text += fmt::format("\n[{}.{}]\n{}", where, name, lines);
    };
    const auto add_part = [&](const char* name, const auto& part) {
        if (part) {
            add(name, lines_of(*part));
        }
    };
    if (model.experts != Experts{}) {
        add("experts", lines_of(model.experts));
    }
    add_part("latent", model.latent);
    if (model.sliding != SlidingWindow{}) {
        add("sliding", lines_of(model.sliding));
    }
    add_part("sparse", model.sparse);
    add_part("patches", model.patches);
    add_part("conditioning", model.conditioning);
    add_part("encoder", model.encoder);
    add_part("per_layer", model.per_layer);
    if (model.linear) {
        add("linear", fmt::format("kind = \"{}\"\n{}", row_of(model.linear->kind).name, lines_of(*model.linear)));
    }
    if (model.tower) {
        add("tower", lines_of(*model.tower) + text_of_model(model.tower->model, where + ".tower"));
    }
    return text;
}

}  // namespace

Transformer transformer_of_toml(std::string_view text, const std::string& where) {
    const toml::table file = parsed(text, where);
    return in_file(where, [&] {
        const TomlFields top(file, "", where);
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
        const TomlFields family(file, "", where);
        family.know_only(keys_of_models({"source", "models"}));
        std::vector<PublishedModel> models;
        if (family.has("models")) {
            for (const TomlFields& row : family.list("models")) {
                models.push_back(read_published(family, row));
            }
        }
        return models;
    });
}

std::string transformer_toml(const Transformer& model) {
    return "[model]\n" + text_of_model(model, "model");
}

}  // namespace sim::training
