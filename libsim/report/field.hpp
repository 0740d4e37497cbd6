// A field of a record is one key: its meaning, its type, and where its value is found.
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

// What a variant holds; nothing is null.
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

// Parts of a schema, made here and not where each field is declared: a list of braces takes the compiler long.
Json schema_of(const char* type, std::string_view description);
Json schema_of_list(std::string_view description, Json items);
Json schema_of_perhaps(std::string_view description, Json schema);  // or null
Json schema_of_object(std::string_view description, Json required, Json properties);
Json reference_to(const std::string& definition);
// Of a record or a list, which no column can show. A reference is one, too.
bool is_nested_schema(const Json& schema);

// A column's cell of a value; `format` is of a number that is not whole.
std::string cell_of(const Json& value, const char* format);

template <class T>
struct Field {
    std::string key;
    Json schema;
    std::function<Json(const T&)> value;
    Cells cells = Cells::numbers;                 // as a column
    std::function<bool(const T&)> is_there = {};  // none: always
    const char* format = "{:.12g}";               // of a number that is not whole, as a column

    bool is_nested() const { return is_nested_schema(schema); }

    // Empty where it is null, or not there.
    std::string cell(const T& of) const {
        if (is_there && !is_there(of)) {
            return "";
        }
        return cell_of(value(of), format);
    }
};

}  // namespace sim::report
