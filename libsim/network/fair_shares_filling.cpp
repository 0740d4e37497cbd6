// This file fills the open links, in the arithmetic of tests/support/max_min.hpp.
#include "libsim/network/fair_shares.hpp"

#include <limits>

namespace sim::network {

void FairShares::fill() {
    begin_filling();
    const std::size_t flows = members_.size() - settled_;
    for (std::size_t round = 0;; ++round) {
        const std::size_t first = stopped_.size();
        // All growing flows are at the same level. The link whose bandwidth is used up at the lowest level stops its
        // flows there, and the room that they leave elsewhere lets the others grow on.
        const double level = least_level(round);
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
    // They stopped in the previous filling, if this is not the first.
    for (const FlowId flow : stopped_) {
        standing_[flow] = Standing::growing;
    }
    stopped_.clear();
}

// Also collects the links at that level. Most fillings take few rounds; without the heap the others would be quadratic.
double FairShares::least_level(std::size_t round) {
    constexpr std::size_t rounds_to_scan = 4;
    if (round < rounds_to_scan) {
        return least_by_scan();
    }
    if (round == rounds_to_scan) {
        rising_.clear();
        for (const std::uint32_t place : growing_) {
            rising_.push_back({open_[place].level, place});
        }
        std::make_heap(rising_.begin(), rising_.end());
    }
    return least_by_heap();
}

// Drops links on which no flow grows any more.
double FairShares::least_by_scan() {
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

// Levels only rise, so a link may wait in the heap at its former level.
double FairShares::least_by_heap() {
    lowest_.clear();
    for (;;) {
        const Rising top = rising_.front();
        const OpenLink& open = open_[top.place];
        if (!lowest_.empty() && top.level > open_[lowest_.front()].level) {
            break;
        }
        std::pop_heap(rising_.begin(), rising_.end());
        if (open.growing == 0) {
            rising_.pop_back();
        } else if (open.level > top.level) {
            rising_.back().level = open.level;
            std::push_heap(rising_.begin(), rising_.end());
        } else {
            rising_.pop_back();
            lowest_.push_back(top.place);
        }
        if (rising_.empty()) {
            break;
        }
    }
    return open_[lowest_.front()].level;
}

void FairShares::stop_flows_at(double level) {
    const std::size_t flows = members_.size() - settled_;
    for (const std::uint32_t place : lowest_) {
        const LinkId link = open_[place].link;
        if (stopped_.size() == flows) {
            return;
        }
        for (const Crossing& crossing : links_[link].crossings) {
            if (standing_[crossing.flow] == Standing::growing) {
                standing_[crossing.flow] = Standing::stopped;
                flows_[crossing.flow].next = level;
                flows_[crossing.flow].bottleneck = link;
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
            const std::uint32_t place = place_of_[hop.link];
            if (place != closed && open_[place].stopped++ == 0) {
                touched_.push_back(place);
            }
        }
        if (flow.shared < flow.hops && place_of_[flow.ceiling_link] != closed) {
            // A private link has no other flow, so none grows on it any more.
            open_[place_of_[flow.ceiling_link]].growing = 0;
        }
    }
    for (const std::uint32_t place : touched_) {
        OpenLink& open = open_[place];
        open.remaining -= open.stopped * level;
        open.load += open.stopped * links_[open.link].units_of(level);
        open.growing -= open.stopped;
        open.stopped = 0;
        if (open.growing > 0) {
            // A level never falls in exact arithmetic; rounding must not make it fall, since the heap relies on that.
            open.level = std::max(open.level, open.remaining / open.growing);
        }
    }
}

// Flows that were still growing stopped in the last round.
void FairShares::end_filling(double level) {
    for (std::size_t i = settled_; i < open_.size(); ++i) {
        const OpenLink& open = open_[i];
        SharedLink& link = links_[open.link];
        link.load = open.load + open.growing * link.units_of(level);
    }
}

}  // namespace sim::network
