#include "tools/command_line/schema_keys.hpp"

#include "libsim/check.hpp"

#include <fmt/format.h>

namespace sim::command_line {

namespace {

using SchemaJson = nlohmann::ordered_json;
using KeyPath = std::vector<std::string>;

// A part of a schema, with the file to which its references are relative.
struct SchemaPart {
    std::string file;
    const SchemaJson& json;
};

std::string type_of(const SchemaJson& schema) {
    const auto type = schema.find("type");
    if (type == schema.end()) {
        return "string";  // a constant
    }
    return type->is_string() ? type->get<std::string>()
                             : fmt::format("{}", fmt::join(type->get<std::vector<std::string>>(), " or "));
}

std::string what_of(const SchemaJson& schema) {
    auto what = schema.value("description", std::string());
    if (const auto values = schema.find("enum"); values != schema.end()) {
        what += fmt::format(" One of: {}.", fmt::join(values->get<std::vector<std::string>>(), "; "));
    }
    return what;
}

KeyPath below(const KeyPath& path, const std::string& key) {
    KeyPath longer = path;
    longer.push_back(key);
    return longer;
}

class SchemaWalk {
public:
    explicit SchemaWalk(const Schemas& schemas) : schemas_(schemas) {}

    // `also` is appended to the type; `what` replaces the part's own description unless it is empty.
    void add(const SchemaPart& at, const KeyPath& path, const std::string& what = "", const std::string& also = "") {
        const SchemaPart part = referred_to(at);
        const SchemaJson& schema = part.json;
        const std::string notes = what.empty() ? what_of(schema) : what;
        for (const char* const one : {"allOf", "anyOf"}) {  // a reference with its own description, or a nullable part
            if (const auto alternatives = schema.find(one); alternatives != schema.end()) {
                add({part.file, alternatives->front()}, path, notes, alternatives->size() > 1 ? " or null" : "");
                return;
            }
        }
        if (const auto alternatives = schema.find("oneOf"); alternatives != schema.end()) {
            for (const SchemaJson& alternative : *alternatives) {
                add({part.file, alternative}, path);
            }
            return;
        }
        keys_.push_back({path, type_of(schema) + also, notes});
        add_parts(part, path);
    }

    std::vector<SchemaKey> keys() && { return std::move(keys_); }

private:
    // The part itself, or the target of its reference: "common.schema.json#/definitions/cost", "#/definitions/row".
    SchemaPart referred_to(const SchemaPart& part) const {
        const auto reference = part.json.find("$ref");
        if (reference == part.json.end()) {
            return part;
        }
        const auto target = reference->get<std::string>();
        const std::size_t hash = target.find('#');
        const std::string file = hash == 0 ? part.file : target.substr(0, hash);
        return referred_to({file, schemas_.file(file).at(SchemaJson::json_pointer(target.substr(hash + 1)))});
    }

    void add_parts(const SchemaPart& part, const KeyPath& path) {
        if (const auto properties = part.json.find("properties"); properties != part.json.end()) {
            for (const auto& [name, property] : properties->items()) {
                add({part.file, property}, below(path, name));
            }
        }
        if (const auto others = part.json.find("additionalProperties");
            others != part.json.end() && others->is_object()) {
            add({part.file, *others}, below(path, fmt::format("<{}>", others->value("title", "KEY"))));
        }
        if (const auto items = part.json.find("items"); items != part.json.end()) {
            add({part.file, *items}, below(path, "[]"));
        }
    }

    const Schemas& schemas_;
    std::vector<SchemaKey> keys_;
};

}  // namespace

std::string SchemaKey::name() const {
    std::string name;
    for (const std::string& part : path) {
        name += name.empty() || part == "[]" ? part : "." + part;
    }
    return name;
}

Schemas::Schemas() {
    for (const SchemaFile& file : schema_files()) {
        files_.emplace(file.name, SchemaJson::parse(file.text));
    }
}

const nlohmann::ordered_json& Schemas::file(const std::string& name) const {
    const auto found = files_.find(name);
    check(found != files_.end(), "there is no schema {}", name);
    return found->second;
}

std::vector<SchemaKey> Schemas::keys_of(const std::string& name, const std::string& pointer) const {
    SchemaWalk walk(*this);
    walk.add({name, file(name).at(SchemaJson::json_pointer(pointer))}, {});
    return std::move(walk).keys();
}

}  // namespace sim::command_line
