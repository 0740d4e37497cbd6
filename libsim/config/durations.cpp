#include "libsim/config/durations.hpp"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace sim::config {

std::optional<Duration> duration_of_text(const std::string& text) {
    static constexpr std::array<std::pair<std::string_view, double>, 7> units{
        {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}, {"min", 60e12}, {"h", 3600e12}}};
    constexpr double longest = 9.2e18;
    const std::size_t letters = text.find_first_not_of("0123456789.");
    if (letters == 0 || letters == std::string::npos || text.find('.') != text.rfind('.') || text[0] == '.') {
        return std::nullopt;
    }
    const std::size_t unit = text.find_first_not_of(' ', letters);
    for (const auto& [name, picoseconds] : units) {
        if (unit != std::string::npos && text.substr(unit) == name) {
            const double found = std::stod(text.substr(0, letters)) * picoseconds;
            return found < longest ? std::optional(Duration{std::llround(found)}) : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace sim::config
