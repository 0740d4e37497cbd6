#include "libsim/config/typed_numbers.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/split.hpp"
#include "libsim/time_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sim::config {

namespace {

constexpr double most = 1e15;

std::vector<std::int64_t> range(const std::vector<std::string>& parts) {
    const auto low = whole_number(parts[0]);
    const auto high = whole_number(parts[1]);
    const auto wide = low && high && *high / std::max<std::int64_t>(*low, 1) >= 100;
    const auto factor = parts.size() == 3 ? whole_number(parts[2]) : std::int64_t{wide ? 10 : 2};
    if (!low || !high || !factor || *low < 1 || *high < *low || *factor < 2) {
        return {};
    }
    std::vector<std::int64_t> numbers{*low};
    while (numbers.back() <= *high / *factor) {
        numbers.push_back(numbers.back() * *factor);
    }
    return numbers;
}

constexpr std::string_view suffixes = "KMGT";

// The power of 1024 that a letter stands for; 0 for any other letter.
unsigned power_of(char letter) {
    const auto upper = static_cast<char>(letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter);
    return static_cast<unsigned>(suffixes.find(upper) + 1);
}

std::int64_t size_or_throw(const std::string& what, const std::string& part, const std::string& text) {
    const auto size = byte_size(part);
    if (!size) {
        throw UsageError(fmt::format(
            "{} must be a list like 1K,64K,1M or a range like 1K:8G or 1K:8G:4 of bytes from 1 to {}, not \"{}\"", what,
            size_text(largest_size), text));
    }
    return *size;
}

std::vector<std::int64_t> range(const std::string& what, const std::vector<std::string>& parts,
                                const std::string& text) {
    const std::int64_t low = size_or_throw(what, parts[0], text);
    const std::int64_t high = size_or_throw(what, parts[1], text);
    const std::int64_t factor = parts.size() == 3 ? size_or_throw(what, parts[2], text) : 2;
    if (factor < 2) {
        throw UsageError(fmt::format("{}: each size of \"{}\" must be at least twice the one before", what, text));
    }
    if (high < low) {
        throw UsageError(fmt::format("{}: \"{}\" ends before it begins", what, text));
    }
    std::vector<std::int64_t> sizes{low};
    while (sizes.back() <= high / factor) {
        sizes.push_back(sizes.back() * factor);
    }
    return sizes;
}

}  // namespace

std::optional<std::int64_t> whole_number(const std::string& text) {
    double x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc{} || end != text.data() + text.size() || std::fabs(x) > most || x != std::floor(x)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(x);
}

std::vector<std::int64_t> whole_numbers(const std::string& text) {
    if (const auto parts = split(text, ':'); parts.size() == 2 || parts.size() == 3) {
        return range(parts);
    }
    std::vector<std::int64_t> numbers;
    for (const std::string& part : split(text, ',')) {
        const auto number = whole_number(part);
        if (!number) {
            return {};
        }
        numbers.push_back(*number);
    }
    return numbers;
}

std::optional<std::int64_t> byte_size(const std::string& text) {
    const unsigned power = text.empty() ? 0 : power_of(text.back());
    const std::string_view digits = std::string_view(text).substr(0, text.size() - (power > 0 ? 1 : 0));
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
        return std::nullopt;
    }
    const double bytes = number * static_cast<double>(std::int64_t{1} << (10U * power));
    if (!(bytes >= 1 && bytes <= static_cast<double>(largest_size)) || bytes != std::floor(bytes)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(bytes);
}

std::vector<std::int64_t> byte_sizes(const std::string& what, const std::string& text) {
    if (const auto parts = split(text, ':'); parts.size() == 2 || parts.size() == 3) {
        return range(what, parts, text);
    }
    std::vector<std::int64_t> sizes;
    for (const std::string& part : split(text, ',')) {
        sizes.push_back(size_or_throw(what, part, text));
    }
    return sizes;
}

std::string size_text(std::int64_t bytes) {
    std::size_t power = 0;
    while (power < suffixes.size() && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        ++power;
    }
    return power == 0 ? fmt::format("{}", bytes) : fmt::format("{}{}", bytes, suffixes[power - 1]);
}

std::optional<Duration> duration_of_text(const std::string& text) {
    constexpr double longest = 9.2e18;
    const std::size_t letters = text.find_first_not_of("0123456789.");
    if (letters == 0 || letters == std::string::npos || text.find('.') != text.rfind('.') || text[0] == '.') {
        return std::nullopt;
    }
    const std::size_t unit = text.find_first_not_of(' ', letters);
    for (const auto& [name, picoseconds] : time_units) {
        if (unit != std::string::npos && text.substr(unit) == name) {
            const double found = std::stod(text.substr(0, letters)) * static_cast<double>(picoseconds);
            return found < longest ? std::optional(Duration{std::llround(found)}) : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace sim::config
