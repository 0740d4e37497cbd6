#include "libsim/report/time_bar.hpp"

#include "libsim/report/amounts.hpp"

#include <vector>

namespace sim::report {

std::array<double, time_categories> mean_time(const Timeline& timeline) {
    std::array<double, time_categories> mean{};
    for (const trace::TimeParts& parts : timeline.time_of_ranks()) {
        for (std::size_t kind = 0; kind < time_categories; ++kind) {
            mean[kind] += seconds(parts.of[kind]) / static_cast<double>(timeline.ranks);
        }
    }
    return mean;
}

// Characters in proportion to the times, by largest remainder, so that the bar is full.
std::string time_bar(std::span<const double> seconds, int width) {
    std::string text;
    int sum = 0;
    const std::vector<int> tenths = tenths_of_percent(seconds);
    for (std::size_t i = 0; i < tenths.size(); ++i) {
        sum += tenths[i];
        const auto upto = static_cast<std::size_t>((sum * width + 500) / 1000);
        text.append(upto > text.size() ? upto - text.size() : 0, mark_of(static_cast<TimeCategory>(i)));
    }
    return text;
}

}  // namespace sim::report
