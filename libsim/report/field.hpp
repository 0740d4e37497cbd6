// A field of a record is one key: its meaning, its type, and how to read its value.
#pragma once

#include "libsim/report/printed_json.hpp"
#include "libsim/report/table.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace sim::report {

// The value that a variant holds; null for monostate.
template <class... Types>
Json held(const std::variant<Types...>& value) {
    return std::visit(
        [](const auto& one) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(one)>, std::monostate>) {
                return nullptr;
            } else {
                return one;
            }
        },
        value);
}

// Parts of a schema. They are functions because nested braces at each declaration of a field compile slowly.
Json schema_of(const char* type, std::string_view description);
Json schema_of_list(std::string_view description, Json items);
Json schema_of_perhaps(std::string_view description, Json schema);  // or null
Json schema_of_object(std::string_view description, Json required, Json properties);
Json reference_to(const std::string& definition);
// True for a record, a list or a reference, which no column can show.
bool is_nested_schema(const Json& schema);

// A column's cell for a value; `format` applies to numbers that are not whole.
std::string cell_of(const Json& value, const char* format);

template <class T>
struct Field {
    std::string key;
    Json schema;
    std::function<Json(const T&)> value;
    Cells cells = Cells::numbers;                 // in a column
    std::function<bool(const T&)> is_there = {};  // none: always present
    const char* format = "{:.12g}";               // in a column, for numbers that are not whole

    bool is_nested() const { return is_nested_schema(schema); }

    // The field as a cell; empty if it is null or absent.
    std::string cell(const T& of) const {
        if (is_there && !is_there(of)) {
            return "";
        }
        return cell_of(value(of), format);
    }
};

}  // namespace sim::report
