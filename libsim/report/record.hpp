// A record declares once how other programs see a value: each key with its meaning, its type, and how to read its
// value. The JSON, the JSON Schema and the CSV columns all derive from it, so they cannot disagree.
//
//   const Record<Machine>& machine_record() {
//       static const Record<Machine> record("A machine.",
//                                           {name<Machine>("name", "Name of the machine.", &Machine::name),
//                                            whole<Machine>("gpus_per_node", "GPUs of a node.",
//                                            &Machine::gpus_per_node)});
//       return record;
//   }
#pragma once

#include "libsim/check.hpp"
#include "libsim/config/given.hpp"
#include "libsim/report/field.hpp"
#include "libsim/report/printed_json.hpp"
#include "libsim/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sim::report {

// Requires: every description ends with a full stop and names the unit of a number.
template <class T>
class Record {
public:
    Record(std::string description, std::vector<Field<T>> fields)
        : description_(std::move(description)), fields_(std::move(fields)) {}

    Json json(const T& of) const {
        Json object = Json::object();
        for (const Field<T>& field : fields_) {
            if (!field.is_there || field.is_there(of)) {
                object[field.key] = field.value(of);
            }
        }
        return object;
    }

    Json list(const std::vector<T>& values) const {
        Json array = Json::array();
        for (const T& value : values) {
            array.push_back(json(value));
        }
        return array;
    }

    Json schema() const {
        Json required = Json::array();
        Json properties = Json::object();
        for (const Field<T>& field : fields_) {
            if (!field.is_there) {
                required.push_back(field.key);
            }
            properties[field.key] = field.schema;
        }
        return schema_of_object(description_, std::move(required), std::move(properties));
    }

    // One column per field that is not a record or list itself.
    Table table(const std::vector<T>& values) const {
        Table table;
        for (const Field<T>& field : fields_) {
            if (!field.is_nested()) {
                table.columns.push_back({field.key, field.cells});
            }
        }
        for (const T& value : values) {
            table.rows.push_back(cells(value));
        }
        return table;
    }

    // A row of the table; the cells of absent fields are empty.
    std::vector<std::string> cells(const T& of) const {
        std::vector<std::string> row;
        for (const Field<T>& field : fields_) {
            if (!field.is_nested()) {
                row.push_back(field.cell(of));
            }
        }
        return row;
    }

    // The table's columns with their meanings, as in columns.json.
    Json columns() const {
        Json columns = Json::object();
        for (const Field<T>& field : fields_) {
            if (!field.is_nested()) {
                columns[field.key] = field.schema;
            }
        }
        return columns;
    }

    const std::vector<Field<T>>& fields() const { return fields_; }
    // Requires: the record has all these keys.
    std::vector<Field<T>> fields(std::initializer_list<std::string_view> keys) const {
        std::vector<Field<T>> some;
        for (const std::string_view key : keys) {
            const auto field =
                std::find_if(fields_.begin(), fields_.end(), [&](const Field<T>& one) { return one.key == key; });
            check(field != fields_.end(), "the record has no field {}", key);
            some.push_back(*field);
        }
        return some;
    }

private:
    std::string description_;
    std::vector<Field<T>> fields_;
};

// The kinds of fields. `value` is a member of T or a function of T. The names are short because only files that declare
// records use them, with `using namespace keys`.
namespace keys {

template <class T, class Value>
Field<T> field_of(std::string key, Json schema, Value value, Cells cells = Cells::numbers) {
    return {std::move(key), std::move(schema), [value](const T& of) -> Json { return std::invoke(value, of); }, cells};
}

template <class T, class Value>
Field<T> number(std::string_view key, std::string_view description, Value value) {
    return field_of<T>(std::string(key), schema_of("number", description), value);
}
template <class T, class Value>
Field<T> whole(std::string_view key, std::string_view description, Value value) {
    return field_of<T>(std::string(key), schema_of("integer", description), value);
}
template <class T, class Value>
Field<T> truth(std::string_view key, std::string_view description, Value value) {
    return field_of<T>(std::string(key), schema_of("boolean", description), value);
}
// A single word that the program chooses.
template <class T, class Value>
Field<T> name(std::string_view key, std::string_view description, Value value) {
    return field_of<T>(std::string(key), schema_of("string", description), value, Cells::names);
}
// Free text.
template <class T, class Value>
Field<T> free_text(std::string_view key, std::string_view description, Value value) {
    return field_of<T>(std::string(key), schema_of("string", description), value, Cells::words);
}
template <class T, class Value>
Field<T> one_of(std::string key, const std::vector<std::string>& known, const std::string& description, Value value) {
    return field_of<T>(std::move(key), {{"type", "string"}, {"enum", known}, {"description", description}}, value,
                       Cells::names);
}
// `value` returns a std::optional; the description explains null.
template <class T, class Value>
Field<T> or_null(Field<T> field, Value value) {
    field.schema["type"] = Json::array({field.schema["type"], "null"});
    field.value = [value](const T& of) -> Json {
        const auto found = std::invoke(value, of);
        return found ? Json(*found) : Json(nullptr);
    };
    return field;
}

template <class T, class Value>
Field<T> number_or_null(std::string_view key, std::string_view description, Value value) {
    return or_null(number<T>(key, description, [](const T&) { return 0.0; }), value);
}

// A key that only some values have.
template <class T, class Condition>
Field<T> only_if(Field<T> field, Condition is_there) {
    field.is_there = is_there;
    return field;
}

// A part with a record of its own. `definition` is its place in the schema if several fields share it:
// "#/definitions/spread".
template <class T, class Part, class Value>
Field<T> part(std::string key, const Record<Part>& record, Value value, const std::string& definition = "") {
    return {std::move(key), definition.empty() ? record.schema() : reference_to(definition),
            [&record, value](const T& of) { return record.json(std::invoke(value, of)); }};
}
// The same field with another description.
template <class T>
Field<T> described(Field<T> field, const std::string& description) {
    if (field.schema.contains("$ref")) {  // JSON Schema ignores keywords beside $ref
        field.schema = {{"description", description}, {"allOf", Json::array({field.schema})}};
    } else {
        field.schema["description"] = description;
    }
    return field;
}
template <class T, class Part, class Value>
Field<T> list_of(std::string key, const std::string& description, const Record<Part>& record, Value value,
                 const std::string& definition = "") {
    return {std::move(key),
            schema_of_list(description, definition.empty() ? record.schema() : reference_to(definition)),
            [&record, value](const T& of) { return record.list(std::invoke(value, of)); }};
}

// An object whose keys are names; `value` returns pairs of a name and a part.
template <class T, class Part, class Value>
Field<T> map_of(std::string key, const std::string& description, const char* name, const Record<Part>& record,
                Value value) {
    Json schema = record.schema();
    Json titled{{"title", name}};
    titled.update(schema);
    return {std::move(key),
            {{"type", "object"}, {"description", description}, {"additionalProperties", std::move(titled)}},
            [&record, value](const T& of) {
                Json object = Json::object();
                for (const auto& [one, of_it] : std::invoke(value, of)) {
                    object[one] = record.json(of_it);
                }
                return object;
            }};
}

// Turns the fields of a part into fields of the whole.
template <class T, class Part, class Value>
std::vector<Field<T>> fields_of(const std::vector<Field<Part>>& of_part, Value value) {
    std::vector<Field<T>> fields;
    for (const Field<Part>& field : of_part) {
        Field<T>& one = fields.emplace_back(field_of<T>(
            field.key, field.schema,
            [found = field.value, value](const T& of) { return found(std::invoke(value, of)); }, field.cells));
        one.format = field.format;
        if (field.is_there) {
            one.is_there = [is_there = field.is_there, value](const T& of) { return is_there(std::invoke(value, of)); };
        }
    }
    return fields;
}
template <class T, class Part, class Value>
std::vector<Field<T>> fields_of(const Record<Part>& record, Value value) {
    return fields_of<T>(record.fields(), value);
}

// Concatenates lists of fields.
template <class T>
std::vector<Field<T>> joined(std::initializer_list<std::vector<Field<T>>> parts) {
    std::vector<Field<T>> fields;
    for (const std::vector<Field<T>>& part : parts) {
        fields.insert(fields.end(), part.begin(), part.end());
    }
    return fields;
}

template <class T, class Value>
Field<T> whole_or_null(std::string_view key, std::string_view description, Value value) {
    return or_null(whole<T>(key, description, [](const T&) { return 0; }), value);
}

// `value` returns a std::optional of the part; the description explains null.
template <class T, class Part, class Value>
Field<T> part_or_null(std::string key, const std::string& description, const Record<Part>& record, Value value,
                      const std::string& definition = "") {
    Json schema = definition.empty() ? record.schema() : reference_to(definition);
    return {std::move(key), schema_of_perhaps(description, std::move(schema)), [&record, value](const T& of) {
                const auto found = std::invoke(value, of);
                return found ? record.json(*found) : Json(nullptr);
            }};
}

// A list of objects whose keys are names. `what` describes one object.
template <class T, class Part, class Value>
Field<T> list_of_maps(std::string key, const std::string& description, const std::string& what, const char* name,
                      const Record<Part>& record, Value value) {
    using Pairs = std::vector<std::pair<std::string, Part>>;
    const Field<Pairs> one = map_of<Pairs>("", what, name, record, std::identity());
    return field_of<T>(std::move(key), schema_of_list(description, one.schema), [one, value](const T& of) {
        Json array = Json::array();
        for (const Pairs& pairs : std::invoke(value, of)) {
            array.push_back(one.value(pairs));
        }
        return array;
    });
}

// A list of values that are not records. `what` describes one value.
template <class T, class Value>
Field<T> values_of(std::string key, const std::string& description, const char* type, const char* what, Value value) {
    return field_of<T>(std::move(key), schema_of_list(description, schema_of(type, what)), value);
}
template <class T, class Value>
Field<T> texts(std::string key, const std::string& description, const char* what, Value value) {
    return values_of<T>(std::move(key), description, "string", what, value);
}

// Sets the format that a column uses for numbers that are not whole: "{:.6g}".
template <class T>
Field<T> printed(Field<T> field, const char* format) {
    field.format = format;
    return field;
}

template <class T>
Field<T> command(const std::string& name) {
    return keys::name<T>("command", name + ".", [name](const T&) { return name; });
}
// The given options that change the result; they reproduce the run.
template <class T, class Value>
Field<T> given(Value value) {
    return field_of<T>("given", {{"$ref", "common.schema.json#/definitions/given"}},
                       [value](const T& of) { return Json::parse(config::json_text(std::invoke(value, of))); });
}

// The same fields, described by another schema: "scenario.schema.json#/properties".
template <class T>
std::vector<Field<T>> described_in(const std::string& where, std::vector<Field<T>> fields) {
    for (Field<T>& field : fields) {
        field.schema = {{"$ref", where + "/" + field.key}};
    }
    return fields;
}

// Puts all fields under one condition. Requires: they have none of their own.
template <class T, class Condition>
std::vector<Field<T>> only_if(std::vector<Field<T>> fields, Condition is_there) {
    for (Field<T>& field : fields) {
        field.is_there = is_there;
    }
    return fields;
}

}  // namespace keys

}  // namespace sim::report
