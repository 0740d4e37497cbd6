// The filling of open links, in the arithmetic of max_min.hpp.
#include "libsim/network/fair_shares.hpp"

#include <limits>

namespace sim {

void FairShares::fill() {
    begin_filling();
    const std::size_t flows = members_.size() - settled_;
    for (;;) {
        const std::size_t first = stopped_.size();
        const double level = least_level();
        stop_flows_at(level);
        if (stopped_.size() == flows) {
            end_filling(level);
            return;
        }
        end_round(level, first);
    }
}

void FairShares::begin_filling() {
    growing_.clear();
    for (std::size_t i = settled_; i < open_.size(); ++i) {
        OpenLink& open = open_[i];
        const SharedLink& link = links_[open.link];
        open.remaining = link.bytes_per_second;
        open.load = 0;
        open.growing = static_cast<std::uint32_t>(link.crossings.size());
        if (open.growing > 0) {
            open.level = open.remaining / open.growing;
            growing_.push_back(static_cast<std::uint32_t>(i));
        }
    }
    for (std::size_t i = settled_; i < members_.size(); ++i) {
        flows_[members_[i]].next = 0;
    }
    stopped_.clear();
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
    const std::size_t flows = members_.size() - settled_;
    for (const std::uint32_t place : lowest_) {
        const LinkId link = open_[place].link;
        if (stopped_.size() == flows) {
            return;
        }
        for (const Crossing& crossing : links_[link].crossings) {
            FlowShare& flow = flows_[crossing.flow];
            if (flow.next == 0) {
                flow.next = level;
                flow.bottleneck = link;
                stopped_.push_back(crossing.flow);
            }
        }
    }
}

void FairShares::end_round(double level, std::size_t first_stopped) {
    touched_.clear();
    for (std::size_t i = first_stopped; i < stopped_.size(); ++i) {
        const FlowShare& flow = flows_[stopped_[i]];
        for (const RouteHop& hop : shared_hops_of(flow)) {
            const std::uint32_t place = links_[hop.link].open;
            if (place != closed && open_[place].stopped++ == 0) {
                touched_.push_back(place);
            }
        }
        if (flow.shared < flow.hops && links_[flow.ceiling_link].open != closed) {
            open_[links_[flow.ceiling_link].open].growing = 0;
        }
    }
    for (const std::uint32_t place : touched_) {
        OpenLink& open = open_[place];
        open.remaining -= open.stopped * level;
        open.load += open.stopped * links_[open.link].units_of(level);
        open.growing -= open.stopped;
        open.stopped = 0;
        if (open.growing > 0) {
            open.level = std::max(open.level, open.remaining / open.growing);
        }
    }
}

// Who still grew stopped in the last round.
void FairShares::end_filling(double level) {
    for (std::size_t i = settled_; i < open_.size(); ++i) {
        const OpenLink& open = open_[i];
        SharedLink& link = links_[open.link];
        link.load = open.load + open.growing * link.units_of(level);
    }
}

}  // namespace sim
