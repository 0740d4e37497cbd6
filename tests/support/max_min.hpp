// Max-min fair rates of flows over shared links, computed for all flows at once.
//
// Progressive filling: all rates grow together until a link is full; flows on that link keep their rate, the others
// keep growing. Each round takes the smallest level  remaining / flows that still grow  over all links; every flow on a
// link of exactly that level gets this rate, and each link loses level * (its flows that got it). The order of links
// and flows has no influence, so the rates are the same bit by bit, however they are numbered. A link's level never
// falls, so rounding must not lower it.
// Cost: O(rounds * links + flows * route), rounds <= links. FlowNetwork recomputes only what changed, and gets these
// rates.
// Source: Bertsekas & Gallager, Data Networks (1992), section 6.5.2.
#pragma once

#include "libsim/network/topology.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace sim::test {
namespace filling {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct Filling {
    double remaining = 0;
    double level = 0;
    int growing = 0;
    int stopped = 0;  // in this round
};

inline std::vector<Filling> begin_filling(std::span<const double> bytes_per_second,
                                          std::span<const std::vector<LinkId>> routes) {
    std::vector<Filling> links(bytes_per_second.size());
    for (const std::vector<LinkId>& route : routes) {
        for (const LinkId link : route) {
            ++links[link].growing;
        }
    }
    for (std::size_t link = 0; link < links.size(); ++link) {
        links[link].remaining = bytes_per_second[link];
        links[link].level = links[link].growing > 0 ? bytes_per_second[link] / links[link].growing : infinity;
    }
    return links;
}

inline double least_level(const std::vector<Filling>& links) {
    double least = infinity;
    for (const Filling& link : links) {
        least = std::min(least, link.level);
    }
    return least;
}

inline void end_round(std::vector<Filling>& links, double level) {
    for (Filling& link : links) {
        if (link.stopped > 0) {
            link.remaining -= link.stopped * level;
            link.growing -= link.stopped;
            link.stopped = 0;
            link.level = link.growing > 0 ? std::max(link.level, link.remaining / link.growing) : infinity;
        }
    }
}

}  // namespace filling

using namespace filling;

// One rate per route, in bytes per second; infinite for an empty one.
// Requires: bandwidths > 0; routes of existing links, none of them twice.
inline std::vector<double> max_min_rates(std::span<const double> bytes_per_second,
                                         std::span<const std::vector<LinkId>> routes) {
    std::vector<Filling> links = begin_filling(bytes_per_second, routes);
    std::vector<double> rates(routes.size(), infinity);
    std::vector<std::size_t> growing;
    for (std::size_t flow = 0; flow < routes.size(); ++flow) {
        if (!routes[flow].empty()) {
            growing.push_back(flow);
        }
    }
    while (!growing.empty()) {
        const double level = least_level(links);
        std::erase_if(growing, [&](std::size_t flow) {
            const std::vector<LinkId>& route = routes[flow];
            if (std::none_of(route.begin(), route.end(), [&](LinkId link) { return links[link].level == level; })) {
                return false;
            }
            rates[flow] = level;
            for (const LinkId link : route) {
                ++links[link].stopped;
            }
            return true;
        });
        end_round(links, level);
    }
    return rates;
}

}  // namespace sim::test
