#include "libsim/explain/train/sections.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::explain {

using namespace report;
using namespace predict;

namespace {

// A line for people: uses that differ only in bucket size share one, with averages.
struct Line {
    CommunicationUse use;
    double bytes = 0;   // total
    double alone = 0;   // seconds, total if run one after the other
    double on_bus = 0;  // bytes
};

bool is_one_sort(const CommunicationUse& a, const CommunicationUse& b) {
    return a.what == b.what && a.members == b.members && a.across_nodes == b.across_nodes;
}

void add(std::vector<Line>& lines, const CommunicationUse& use) {
    const auto same = [&](const Line& line) { return is_one_sort(line.use, use); };
    auto found = std::find_if(lines.begin(), lines.end(), same);
    if (found == lines.end()) {
        found = lines.insert(lines.end(), Line{.use = use});
        found->use.count = 0;
        found->use.exposed_seconds = 0;
    }
    const auto count = static_cast<double>(use.count);
    // Shows the algorithm with the most bytes.
    if (count * static_cast<double>(use.bytes) > found->bytes) {
        found->use.algorithm = use.algorithm;
    }
    found->use.count += use.count;
    found->use.exposed_seconds += use.exposed_seconds;
    found->bytes += count * static_cast<double>(use.bytes);
    found->alone += count * use.seconds_alone;
    found->on_bus += count * use.seconds_alone * use.bus_bandwidth;
}

report::TextRow row_of(const Line& line) {
    const CommunicationUse& use = line.use;
    const auto count = static_cast<double>(std::max<std::int64_t>(1, use.count));
    const double bandwidth = line.alone > 0 ? line.bytes / line.alone : 0;
    const double bus = line.alone > 0 ? line.on_bus / line.alone : 0;
    const double link = use.link_share > 0 ? use.bus_bandwidth / use.link_share : 0;  // the line's peak rate
    return {{use.what, fmt::format("{}", use.count), bytes_text(line.bytes / count), fmt::format("{}", use.members),
             use.across_nodes ? "network" : "node", use.algorithm, time_text(line.alone / count),
             time_text(use.exposed_seconds), rate_text(bandwidth), rate_text(bus),
             percent_text(link > 0 ? bus / link : 0)}};
}

}  // namespace

std::string communication_table(const std::vector<CommunicationUse>& communication) {
    const std::string title =
        "\nCommunication of a rank in a step; size and alone: of one of them on average, with nothing else under way\n";
    if (communication.empty()) {
        return title + "  none\n";
    }
    using report::Align;
    report::TextTable table{.columns = {{"what", Align::left},
                                        {"count"},
                                        {"size"},
                                        {"ranks"},
                                        {"over", Align::left},
                                        {"algorithm", Align::left},
                                        {"alone"},
                                        {"exposed"},
                                        {"algbw"},
                                        {"busbw"},
                                        {"of link"}},
                            .rows = {},
                            .margin = "  "};
    std::vector<Line> lines;
    for (const CommunicationUse& use : communication) {
        add(lines, use);
    }
    for (const Line& line : lines) {
        table.rows.push_back(row_of(line));
    }
    return title + text_of(table);
}

}  // namespace sim::explain
