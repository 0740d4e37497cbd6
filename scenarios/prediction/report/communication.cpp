#include "scenarios/prediction/report/amounts.hpp"
#include "scenarios/prediction/report/sections.hpp"

#include <fmt/format.h>

namespace sim::scenarios {

std::string communication_table(const std::vector<CommunicationUse>& communication) {
    std::string text = "\nCommunication of a rank in a step; alone: one of them, with nothing else under way\n";
    if (communication.empty()) {
        return text + "  none\n";
    }
    text += fmt::format("  {:<38} {:>7} {:>9} {:>6} {:<7} {:<16} {:>9} {:>9} {:>10} {:>10} {:>7}\n", "what", "count",
                        "size", "ranks", "over", "algorithm", "alone", "exposed", "algbw", "busbw", "of link");
    for (const CommunicationUse& use : communication) {
        const double bandwidth = use.seconds_alone > 0 ? static_cast<double>(use.bytes) / use.seconds_alone : 0;
        text += fmt::format("  {:<38} {:>7} {:>9} {:>6} {:<7} {:<16} {:>9} {:>9} {:>10} {:>10} {:>7}\n", use.what,
                            use.count, bytes_text(static_cast<double>(use.bytes)), use.members,
                            use.across_nodes ? "network" : "node", use.algorithm, time_text(use.seconds_alone),
                            time_text(use.exposed_seconds), rate_text(bandwidth), rate_text(use.bus_bandwidth),
                            percent_text(use.link_share));
    }
    return text;
}

}  // namespace sim::scenarios
