// These functions read a field of a text table as a number: the whole field, or nothing.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sim::config {

inline std::optional<std::int64_t> whole_of(std::string_view field) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    return error == std::errc{} && end == field.data() + field.size() ? std::optional(value) : std::nullopt;
}

// Finite numbers only.
inline std::optional<double> number_of(std::string_view field) {
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool is_number = error == std::errc{} && end == field.data() + field.size() && std::isfinite(value);
    return is_number ? std::optional(value) : std::nullopt;
}

}  // namespace sim::config
