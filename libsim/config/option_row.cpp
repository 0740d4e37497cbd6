#include "libsim/config/option_row.hpp"

#include "libsim/check.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/config/typed_numbers.hpp"
#include "libsim/nearest.hpp"
#include "libsim/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace sim::config {

namespace {

// Accepts 12, and also 1e1 and 12.0.
std::optional<std::int64_t> whole_number(const TomlValue& value) {
    constexpr double exact = 1e15;
    if (const auto* n = std::get_if<std::int64_t>(&value)) {
        return *n;
    }
    const auto* x = std::get_if<double>(&value);
    return x != nullptr && std::fabs(*x) <= exact && *x == std::floor(*x) ? std::optional(static_cast<std::int64_t>(*x))
                                                                          : std::nullopt;
}

// Checks a value, and sets it if asked to.
struct Setter {
    const std::string& what;
    const TomlValue& value;
    bool sets;

    [[noreturn]] void refuse(const std::string& wanted, const std::string& hint = "") const {
        throw UsageError(fmt::format("{} must be {}, not {}{}", what, wanted, describe(value), hint));
    }
    template <class Kind, class Value>
    void done(const Kind& kind, const Value& checked) const {
        if (sets) {
            kind.set(checked);
        }
    }

    void operator()(const Whole& kind) const {
        const std::optional<std::int64_t> n = whole_number(value);
        if (!n || *n < kind.low || *n > kind.high) {
            refuse(kind.high == INT64_MAX ? fmt::format("a whole number from {}", kind.low)
                                          : fmt::format("a whole number from {} to {}", kind.low, kind.high));
        }
        done(kind, *n);
    }
    void operator()(const Real& kind) const {
        double x = std::nan("");
        if (const auto* n = std::get_if<std::int64_t>(&value)) {
            x = static_cast<double>(*n);
        } else if (const auto* d = std::get_if<double>(&value)) {
            x = *d;
        }
        if (!(x >= kind.low && x <= kind.high)) {
            refuse(fmt::format("a number from {} to {:.12g}", kind.low, kind.high));
        }
        done(kind, x);
    }
    void operator()(const Choice& kind) const {
        const auto* name = std::get_if<std::string>(&value);
        for (std::size_t i = 0; name != nullptr && i < kind.names.size(); ++i) {
            if (kind.names[i] == *name) {
                return done(kind, i);
            }
        }
        refuse(fmt::format("{}", fmt::join(kind.names, " or ")), name ? did_you_mean(*name, kind.names) : "");
    }
    void operator()(const Text& kind) const {
        const auto* s = std::get_if<std::string>(&value);
        if (s == nullptr || s->empty()) {
            refuse("a text that is not empty");
        }
        done(kind, *s);
    }
    void operator()(const Flag& kind) const {
        const auto* b = std::get_if<bool>(&value);
        if (b == nullptr) {
            refuse("true or false");
        }
        done(kind, *b);
    }
    void operator()(const Switch& kind) const {
        if (const auto* b = std::get_if<bool>(&value)) {
            return done(kind, *b);
        }
        const auto* s = std::get_if<std::string>(&value);
        if (s == nullptr || (*s != "on" && *s != "off" && *s != "true" && *s != "false")) {
            refuse("on or off");
        }
        done(kind, *s == "on" || *s == "true");
    }
    void operator()(const Custom& kind) const { kind.take(what, value, sets); }
    void operator()(const List& kind) const {
        std::vector<std::int64_t> numbers;
        if (const auto* s = std::get_if<std::string>(&value)) {
            numbers = whole_numbers(*s);
        } else if (const auto* n = std::get_if<std::int64_t>(&value)) {
            numbers = {*n};
        } else if (const auto* list = std::get_if<std::vector<double>>(&value)) {
            for (const double x : *list) {
                numbers.push_back(x == std::floor(x) && std::fabs(x) < 1e15 ? static_cast<std::int64_t>(x)
                                                                            : kind.low - 1);
            }
        }
        const auto outside = [&](std::int64_t n) { return n < kind.low || n > kind.high; };
        if (numbers.empty() || std::any_of(numbers.begin(), numbers.end(), outside)) {
            refuse(fmt::format("a list like 1,2,4 or 1:16:2 of whole numbers from {} to {}", kind.low, kind.high));
        }
        done(kind, numbers);
    }
};

template <class Number>
bool parse(const std::string& text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

// The number before the suffix times the suffix's factor; nothing if `text` has another form.
std::optional<double> number_with_suffix(const std::string& text, double thousand, std::string_view letters) {
    if (text.empty()) {
        return std::nullopt;
    }
    const auto power = letters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
    double x = 0;
    if (power == std::string_view::npos || !parse(text.substr(0, text.size() - 1), x)) {
        return std::nullopt;
    }
    return x * std::pow(thousand, static_cast<double>(power + 1));
}

// Parses "8k" if the row takes suffixes.
std::optional<double> suffixed_number(const OptionRow& row, const std::string& text) {
    if (const auto* whole = std::get_if<Whole>(&row.kind); whole != nullptr && whole->has_suffixes) {
        return number_with_suffix(text, 1024, "KM");
    }
    if (const auto* real = std::get_if<Real>(&row.kind); real != nullptr && real->has_suffixes) {
        return number_with_suffix(text, 1000, "KMBT");
    }
    return std::nullopt;
}

}  // namespace

std::vector<OptionRow> in_group(const char* group, std::vector<OptionRow> rows) {
    for (OptionRow& row : rows) {
        row.group = row.group.empty() ? group : row.group;
    }
    return rows;
}

Custom duration(Duration& field) {
    return {[&field](const std::string& what, const TomlValue& value, bool sets) {
        const auto* const text = std::get_if<std::string>(&value);
        const std::optional<Duration> found = text == nullptr ? std::nullopt : duration_of_text(*text);
        if (!found) {
            throw UsageError(fmt::format("{} must be a time with its unit, such as 500ms, 2s or 10min, not {}", what,
                                         describe(value)));
        }
        if (sets) {
            field = *found;
        }
    }};
}

Whole whole(int& field, std::int64_t low, std::int64_t high) {
    return {low, high, [&field](std::int64_t n) { field = static_cast<int>(n); }};
}
Real real(double& field, double low, double high) {
    return {low, high, [&field](double x) { field = x; }};
}
Text text(std::string& field) {
    return {[&field](const std::string& s) { field = s; }};
}
Text file(std::string& field) {
    return name_or_file(field, {});
}
Text folder(std::string& field) {
    return {text(field).set, {.path = Known::Path::folder}};
}
Text files(std::vector<std::string>& field) {
    return {[&field](const std::string& lines) { field = split(lines, '\n'); }, {.path = Known::Path::file}};
}
Text name_or_file(std::string& field, const std::vector<std::string>& names) {
    return {text(field).set, {.names = names, .path = Known::Path::file}};
}
Flag flag(bool& field) {
    return {[&field](bool b) { field = b; }};
}
Switch on_off(bool& field) {
    return {[&field](bool b) { field = b; }};
}
Choice choice(std::string& field, const std::vector<std::string>& names) {
    return {names, [&field, names](std::size_t i) { field = names[i]; }};
}

Known known_values(const OptionRow& row) {
    if (const auto* one = std::get_if<Choice>(&row.kind)) {
        return {.names = one->names};
    }
    if (std::holds_alternative<Switch>(row.kind)) {
        return {.names = {"on", "off"}};
    }
    if (const auto* any = std::get_if<Text>(&row.kind)) {
        return any->known;
    }
    const auto* custom = std::get_if<Custom>(&row.kind);
    return custom != nullptr ? custom->known : Known{};
}

bool is_called(const OptionRow& row, const std::string& name) {
    return row.name == name || std::find(row.also.begin(), row.also.end(), name) != row.also.end();
}

std::vector<std::string> option_names(const std::vector<OptionRow>& rows) {
    std::vector<std::string> names;
    for (const OptionRow& row : rows) {
        if (row.role == Role::option) {
            names.push_back(row.name);
        }
    }
    return names;
}

void check_option(const OptionRow& row, const std::string& what, const TomlValue& value) {
    std::visit(Setter{what, value, false}, row.kind);
}

void set_option(const OptionRow& row, const std::string& what, const TomlValue& value) {
    std::visit(Setter{what, value, true}, row.kind);
}

TomlValue value_of_text(const OptionRow& row, const std::string& text) {
    std::int64_t n = 0;
    double x = 0;
    if (std::holds_alternative<Whole>(row.kind) || std::holds_alternative<Real>(row.kind)) {
        if (parse(text, n)) {
            return n;
        }
        if (parse(text, x)) {
            return x;
        }
    }
    if (const std::optional<double> number = suffixed_number(row, text)) {
        return *number;
    }
    if (std::holds_alternative<Flag>(row.kind) && (text == "true" || text == "false")) {
        return text == "true";
    }
    return text;
}

const OptionRow* find_row(const std::vector<OptionRow>& rows, const std::string& name) {
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const OptionRow& row) { return is_called(row, name); });
    return at == rows.end() ? nullptr : &*at;
}

const OptionRow& row_named(const std::vector<OptionRow>& rows, const std::string& name) {
    const OptionRow* row = find_row(rows, name);
    check(row != nullptr, "there is no option {}", name);
    return *row;
}

}  // namespace sim::config
