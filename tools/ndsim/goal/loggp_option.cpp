#include "tools/ndsim/goal/options.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "libsim/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

namespace sim::tools {

using namespace config;

namespace {

constexpr std::size_t most_places = 18;

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    return error == std::errc{} && end == text.data() + text.size() && n >= 0 && text.front() != '-' ? std::optional(n)
                                                                                                     : std::nullopt;
}

// Reads "0.25" as 1/4.
std::optional<Pace> fraction(const std::string& text) {
    const std::size_t point = text.find('.');
    if (point == std::string::npos) {
        const auto n = whole_number(text);
        return n ? std::optional(Pace{*n, 1}) : std::nullopt;
    }
    const std::size_t places = text.size() - point - 1;
    const auto digits = whole_number(text.substr(0, point) + text.substr(point + 1));
    if (!digits || places > most_places) {
        return {};
    }
    std::int64_t parts = 1;
    for (std::size_t i = 0; i < places; ++i) {
        parts *= 10;
    }
    const std::int64_t common = std::gcd(*digits, parts);
    return Pace{*digits / common, parts / common};
}

void set(LogGP& costs, const std::string& name, const std::string& value) {
    const auto refuse = [&](const char* wanted) {
        throw UsageError(fmt::format("--loggp: {} must be {}, not \"{}\"", name, wanted, value));
    };
    if (name == "G" || name == "O") {
        const auto pace = fraction(value);
        if (!pace) {
            refuse("a number from 0, such as 6 or 0.25");
        }
        (name == "G" ? costs.gap_per_byte : costs.overhead_per_byte) = *pace;
        return;
    }
    const auto n = whole_number(value);
    if (!n) {
        refuse("a whole number from 0");
    }
    if (name == "S") {
        costs.eager_limit = Bytes{*n};
    } else {
        (name == "L" ? costs.latency : name == "o" ? costs.overhead : costs.gap) = Duration{*n};
    }
}

std::string decimal(const Pace& pace) {
    if (pace.amount == 1) {
        return fmt::format("{}", pace.picoseconds);
    }
    return fmt::format("{}", static_cast<double>(pace.picoseconds) / static_cast<double>(pace.amount));
}

}  // namespace

void read_loggp(const std::string& text, LogGP& costs) {
    const std::vector<std::string> known{"L", "o", "g", "G", "O", "S"};
    for (const std::string& part : split(text, ',')) {
        const std::size_t equals = part.find('=');
        const std::string name = part.substr(0, equals);
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            throw UsageError(fmt::format("--loggp knows no \"{}\": L, o, g, G, O and S, as in L=1000,o=200", name));
        }
        if (equals == std::string::npos) {
            throw UsageError(fmt::format("--loggp: {} has no value; {}=1000 would", name, name));
        }
        set(costs, name, part.substr(equals + 1));
    }
}

OptionRow loggp_row(LogGP& costs) {
    return {"loggp", "LIST", fmt::format("LogGP costs of messages, in units of time ({})", describe(costs)),
            Text{[&costs](const std::string& text) { read_loggp(text, costs); }}};
}

std::string describe(const LogGP& costs) {
    return fmt::format("L={},o={},g={},G={},O={},S={}", costs.latency.count(), costs.overhead.count(),
                       costs.gap.count(), decimal(costs.gap_per_byte), decimal(costs.overhead_per_byte),
                       costs.eager_limit.count);
}

}  // namespace sim::tools
