#include "libsim/search/sweep/grid.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

namespace sim::search {

namespace {

constexpr std::size_t most_configurations = 10'000'000;

constexpr std::size_t most_values = 1'000'000;

std::optional<double> number(const std::string& text) {
    double x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    const bool all = error == std::errc{} && end == text.data() + text.size() && std::isfinite(x);
    return all ? std::optional{x} : std::nullopt;
}

// The shortest text with up to 12 digits: 0.1 + 0.2 is 0.3.
std::string text_of(double x) {
    return std::fabs(x) < 1e15 && x == std::floor(x) ? fmt::format("{:.0f}", x) : fmt::format("{:.12g}", x);
}

struct Range {
    double low;
    double high;
    double step;
    bool adds;
};

// None if `text` does not have the form of a range: names have no colons, except in paths.
std::optional<Range> range_of(const std::string& text) {
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() != 2 && parts.size() != 3) {
        return std::nullopt;
    }
    const auto low = number(parts[0]);
    const auto high = number(parts[1]);
    if (!low || !high) {
        return std::nullopt;
    }
    std::string step = parts.size() == 3 ? parts[2] : "x2";
    const bool adds = !step.empty() && step.front() == '+';
    if (!step.empty() && (step.front() == '+' || step.front() == 'x')) {
        step.erase(0, 1);
    }
    return Range{*low, *high, number(step).value_or(0), adds};
}

std::vector<std::string> values_of(const Range& range, const std::string& what, const std::string& text) {
    const bool goes_on = range.adds ? range.step > 0 : range.low > 0 && range.step > 1;
    if (!goes_on || range.high < range.low) {
        throw config::UsageError(
            fmt::format("{} must be a list, or a range like 8:1024:x2 or 8:64:+8, not \"{}\"", what, text));
    }
    std::vector<std::string> values;
    for (std::size_t i = 0; i <= most_values; ++i) {
        const double n = static_cast<double>(i);
        const double value = range.adds ? range.low + n * range.step : range.low * std::pow(range.step, n);
        // The tolerance includes the end of a range of decimal fractions.
        if (value > range.high * (1 + 1e-12)) {
            return values;
        }
        values.push_back(text_of(value));
    }
    throw config::UsageError(fmt::format("{} has more than {} values", what, most_values));
}

}  // namespace

std::size_t SweepGrid::size() const {
    std::size_t all = 1;
    for (const SweepAxis& axis : axes) {
        if (axis.values.size() > most_configurations / all) {
            throw config::UsageError(fmt::format("the sweep has more than {} configurations", most_configurations));
        }
        all *= axis.values.size();
    }
    return all;
}

std::string SweepGrid::shared() const {
    std::string text;
    for (const SweepAxis& axis : axes) {
        text += axis.values.size() == 1 ? fmt::format(" --{} {}", axis.option, axis.values.front()) : "";
    }
    return text;
}

predict::Change SweepGrid::configuration(std::size_t number) const {
    predict::Change change;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        change.emplace_back(axis->option, axis->values[number % axis->values.size()]);
        number /= axis->values.size();
    }
    std::reverse(change.begin(), change.end());
    return change;
}

std::vector<std::string> sweep_values(const config::OptionRow& row, const std::string& what, const std::string& text) {
    const auto range = range_of(text);
    const bool has_commas = row.has_commas || text.find(';') != std::string::npos;
    const std::vector<std::string> values = range ? values_of(*range, what, text) : split(text, has_commas ? ';' : ',');
    std::set<std::string> seen;
    for (const std::string& value : values) {
        config::check_option(row, what, config::value_of_text(row, value));
        if (!seen.insert(value).second) {
            throw config::UsageError(fmt::format("{} has {} twice", what, value));
        }
    }
    return values;
}

std::vector<std::string> sweep_values(const config::OptionRow& row, const std::string& what,
                                      const config::TomlValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) {
        return sweep_values(row, what, *text);
    }
    std::string text;
    if (const auto* n = std::get_if<std::int64_t>(&value)) {
        text = std::to_string(*n);
    } else if (const auto* x = std::get_if<double>(&value)) {
        text = text_of(*x);
    } else if (const auto* b = std::get_if<bool>(&value)) {
        text = *b ? "true" : "false";
    } else if (const auto* list = std::get_if<std::vector<double>>(&value)) {
        for (const double one : *list) {
            text += fmt::format("{}{}", text.empty() ? "" : ",", text_of(one));
        }
    } else {
        throw config::UsageError(
            fmt::format("{} must be a list like 1,2,4 or a range like 8:1024:x2, not {}", what, describe(value)));
    }
    return sweep_values(row, what, text);
}

}  // namespace sim::search
