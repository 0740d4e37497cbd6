#include "libsim/trace/account.hpp"

#include "libsim/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace sim::trace {

std::span<const Spent> spent_on(const Account& account, std::size_t span) {
    struct BySpan {
        bool operator()(const Spent& a, std::size_t b) const { return a.span < b; }
        bool operator()(std::size_t a, const Spent& b) const { return a < b.span; }
    };
    const auto [first, last] = std::equal_range(account.begin(), account.end(), span, BySpan{});
    return {first, last};
}

std::string text_of(std::span<const Spent> spent) {
    TimeParts parts;
    for (const Spent& one : spent) {
        parts[one.category] += one.time;
    }
    std::string text;
    for (std::size_t kind = 0; kind < time_categories; ++kind) {
        if (parts.of[kind].count() != 0) {
            text += fmt::format("{}{}:{}", text.empty() ? "" : " ", name_of(static_cast<TimeCategory>(kind)),
                                parts.of[kind].count());
        }
    }
    return text;
}

std::optional<std::vector<Spent>> spent_of_text(std::string_view text, std::size_t span) {
    std::vector<Spent> all;
    for (const std::string& word : split(std::string(text), ' ')) {
        const std::size_t colon = std::min(word.find(':'), word.size());
        const auto category = time_category(std::string_view(word).substr(0, colon));
        std::int64_t time = 0;
        const char* const begin = word.data() + std::min(colon + 1, word.size());
        const char* const end = word.data() + word.size();
        const auto [read, error] = std::from_chars(begin, end, time);
        if (!category || error != std::errc{} || read != end || time < 0) {
            return std::nullopt;
        }
        all.push_back({span, *category, Duration{time}});
    }
    return all;
}

}  // namespace sim::trace
