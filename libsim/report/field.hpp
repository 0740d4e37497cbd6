// A field of a record is one key: its meaning, its type, and where its value is found.
#pragma once

#include "libsim/report/printed_json.hpp"
#include "libsim/report/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <string>
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

template <class T>
struct Field {
    std::string key;
    Json schema;
    std::function<Json(const T&)> value;
    Cells cells = Cells::numbers;                 // as a column
    std::function<bool(const T&)> is_there = {};  // none: always
    const char* format = "{:.12g}";               // of a number that is not whole, as a column

    // A record or a list of its own, which no column can show. A reference is one, too.
    bool is_nested() const {
        const Json type = schema.value("type", Json("object"));
        return type == "object" || type == "array";
    }

    // Empty where it is null, or not there.
    std::string cell(const T& of) const {
        if (is_there && !is_there(of)) {
            return "";
        }
        const Json found = value(of);
        return found.is_string()         ? found.template get<std::string>()
               : found.is_number_float() ? fmt::format(fmt::runtime(format), found.template get<double>())
               : found.is_null()         ? ""
                                         : found.dump();
    }
};

}  // namespace sim::report
