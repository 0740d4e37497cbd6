#include "libsim/report/time_table.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

#include <numeric>
#include <vector>

namespace sim::report {

namespace {

std::string percent_of_tenths(int tenths) {
    return fmt::format("{}.{} %", tenths / 10, tenths % 10);
}

}  // namespace

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

std::string time_table(std::span<const double> seconds) {
    const std::vector<int> tenths = tenths_of_percent(seconds);
    TextTable table{.columns = {{"", Align::left}, {"", Align::left}, {""}, {""}}, .rows = {}, .margin = "  "};
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        const auto category = static_cast<TimeCategory>(i);
        if (seconds[i] > 0) {
            table.rows.push_back({{std::string(1, mark_of(category)), title_of(category), time_text(seconds[i]),
                                   percent_of_tenths(tenths[i])}});
        }
    }
    table.rows.push_back({{"", "step", time_text(std::accumulate(seconds.begin(), seconds.end(), 0.0)),
                           percent_of_tenths(std::accumulate(tenths.begin(), tenths.end(), 0))}});
    return fmt::format("  [{}]\n", time_bar(seconds)) + text_of(table);
}

}  // namespace sim::report
