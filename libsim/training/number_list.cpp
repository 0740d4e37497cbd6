#include "libsim/training/number_list.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sim::training {

std::vector<double> numbers_of_text(std::string_view text) {
    constexpr std::string_view between = ", \t\r\n";
    std::vector<double> numbers;
    for (std::size_t at = text.find_first_not_of(between); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(between, at), text.size());
        const std::string_view word = text.substr(at, end - at);
        double number = 0;
        const auto [read, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error != std::errc{} || read != word.data() + word.size() || !std::isfinite(number) || number < 0) {
            throw ProgramError(fmt::format("\"{}\" is not a number of at least 0", word));
        }
        numbers.push_back(number);
        at = text.find_first_not_of(between, end);
    }
    return numbers;
}

std::string text_of_numbers(std::span<const double> numbers) {
    return fmt::format("{}", fmt::join(numbers, ","));
}

}  // namespace sim::training
