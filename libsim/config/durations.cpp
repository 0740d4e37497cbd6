#include "libsim/config/durations.hpp"

#include "libsim/time_units.hpp"

#include <cmath>

namespace sim::config {

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
