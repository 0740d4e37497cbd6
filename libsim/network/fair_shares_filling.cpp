// The filling of open links, in the arithmetic of max_min.hpp.
#include "libsim/network/fair_shares.hpp"

#include <limits>

namespace sim {

void FairShares::fill() {
    growing_.clear();
    for (std::size_t i = 0; i < open_.size(); ++i) {
        OpenLink& open = open_[i];
        const SharedLink& link = links_[open.link];
        open.remaining = link.bytes_per_second;
        open.growing = static_cast<std::uint32_t>(link.crossings.size());
        open.stopped = 0;
        if (open.growing > 0) {
            open.level = open.remaining / open.growing;
            growing_.push_back(static_cast<std::uint32_t>(i));
        }
    }
    for (const FlowId member : members_) {
        flows_[member].next = 0;
    }
    stopped_.clear();
    while (stopped_.size() < members_.size()) {
        const std::size_t first = stopped_.size();
        const double level = least_level();
        stop_flows_at(level);
        if (stopped_.size() < members_.size()) {
            end_round(level, first);
        }
    }
}

// Also notes who is at that level, and drops the links where nothing grows any more.
double FairShares::least_level() {
    double least = std::numeric_limits<double>::infinity();
    std::size_t kept = 0;
    lowest_.clear();
    for (const std::uint32_t place : growing_) {
        const OpenLink& open = open_[place];
        if (open.growing == 0) {
            continue;
        }
        growing_[kept++] = place;
        if (open.level < least) {
            least = open.level;
            lowest_.clear();
        }
        if (open.level == least) {
            lowest_.push_back(place);
        }
    }
    growing_.resize(kept);
    return least;
}

void FairShares::stop_flows_at(double level) {
    for (const std::uint32_t place : lowest_) {
        for (const Crossing& crossing : links_[open_[place].link].crossings) {
            FlowShare& flow = flows_[crossing.flow];
            if (flow.next == 0) {
                flow.next = level;
                flow.bottleneck = open_[place].link;
                stopped_.push_back(crossing.flow);
            }
        }
    }
}

void FairShares::end_round(double level, std::size_t first_stopped) {
    touched_.clear();
    for (std::size_t i = first_stopped; i < stopped_.size(); ++i) {
        for (const RouteHop& hop : hops_of(flows_[stopped_[i]])) {
            const std::uint32_t place = links_[hop.link].open;
            if (place != closed && open_[place].stopped++ == 0) {
                touched_.push_back(place);
            }
        }
    }
    for (const std::uint32_t place : touched_) {
        OpenLink& open = open_[place];
        open.remaining -= open.stopped * level;
        open.growing -= open.stopped;
        open.stopped = 0;
        if (open.growing > 0) {
            open.level = std::max(open.level, open.remaining / open.growing);
        }
    }
}

}  // namespace sim
