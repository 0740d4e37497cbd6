#include "libsim/interop/trace_files/event_fields.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace sim::trace_files {

namespace {

std::string_view key_of(EventField field) {
    return event_fields[static_cast<std::size_t>(field)].key;
}

// A JSON number times 10^decimals, truncated; nothing if that has more than 30 digits.
std::optional<Wide> scaled(std::string_view text, int decimals) {
    const bool negative = text.starts_with('-');
    text.remove_prefix(negative ? 1 : 0);
    const std::size_t exponent_at = text.find_first_of("eE");
    int exponent = 0;
    if (exponent_at != std::string_view::npos) {
        std::string_view digits = text.substr(exponent_at + 1);
        digits.remove_prefix(digits.starts_with('+') ? 1 : 0);
        if (std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc{} ||
            exponent < -1000 || exponent > 1000) {
            return std::nullopt;
        }
        text = text.substr(0, exponent_at);
    }
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string digits = std::string(text.substr(0, point)) +
                               std::string(point < text.size() ? text.substr(point + 1) : std::string_view());
    const auto wanted = static_cast<std::int64_t>(point) + exponent + decimals;  // number of significant digits
    Wide value = 0;
    int significant = 0;
    for (std::int64_t i = 0; i < wanted && significant <= 30; ++i) {
        const bool there = i < static_cast<std::int64_t>(digits.size());
        value = 10 * value + (there ? digits[static_cast<std::size_t>(i)] - '0' : 0);
        significant += value != 0 ? 1 : 0;
    }
    return significant > 30 ? std::nullopt : std::optional{negative ? -value : value};
}

}  // namespace

const std::string& JsonEvent::text(EventField field) const {
    static const std::string nothing;
    const auto& scalar = fields_[static_cast<std::size_t>(field)];
    return scalar && !scalar->is_number ? scalar->text : nothing;
}

std::optional<Wide> JsonEvent::number(EventField field, int decimals, const std::string& where) const {
    const auto& scalar = fields_[static_cast<std::size_t>(field)];
    if (!scalar) {
        return std::nullopt;
    }
    const auto value = scalar->is_number ? scaled(scalar->text, decimals) : std::nullopt;
    if (!value) {
        throw config::UsageError(fmt::format("{}: {} must be a number{}, not {}", where, key_of(field),
                                             scalar->is_number ? " of at most 30 digits" : "",
                                             config::shortened(scalar->text)));
    }
    return value;
}

std::int64_t JsonEvent::whole(EventField field, const std::string& where) const {
    const auto value = number(field, 0, where);
    if (!value || *value > std::numeric_limits<std::int64_t>::max() ||
        *value < std::numeric_limits<std::int64_t>::min()) {
        throw config::UsageError(
            fmt::format("{}: {} {}", where, key_of(field), value ? "must fit into 64 bits" : "is missing"));
    }
    return static_cast<std::int64_t>(*value);
}

}  // namespace sim::trace_files
