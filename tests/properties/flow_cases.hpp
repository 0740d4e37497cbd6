// Random links and flows: few links and many ties, so that flows coincide, begin and end together.
#pragma once

#include "tests/support/plain_flows.hpp"
#include "tests/support/property.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

namespace sim::test {

struct FlowCase {
    std::vector<FlowNetwork::Channel> links;
    std::vector<PlannedFlow> flows;
};

inline std::ostream& operator<<(std::ostream& out, const FlowCase& c) {
    for (const auto& link : c.links) {
        out << fmt::format("\nlink {} B/s, {} ps", link.bytes_per_second, link.latency);
    }
    for (const PlannedFlow& flow : c.flows) {
        out << fmt::format("\nflow at {} ps, links {}, {} B", flow.at, fmt::join(flow.route, " "), flow.bytes);
    }
    return out << '\n';
}

// Either one of a few equal values, or anything within twelve orders of magnitude.
inline double bandwidth() {
    if (*rc::gen::inRange(0, 4) > 0) {
        return *rc::gen::element(1e9, 2e9, 3e9, 1e10, 7e9);
    }
    return *rc::gen::inRange(1, 1000) * *rc::gen::element(1e3, 1e6, 1e9, 1e12);
}

inline double amount_of_bytes() {
    if (*rc::gen::inRange(0, 4) > 0) {
        return *rc::gen::element(1e6, 1e6, 1e6, 2e6, 3e6, 0.0);
    }
    return *rc::gen::inRange(0, 100'000'000);
}

inline double instant() {
    return *rc::gen::inRange(0, 4) > 0 ? *rc::gen::element(0.0, 0.0, 1e8, 1e9) : *rc::gen::inRange(0, 1'000'000'000);
}

// Many routes begin with the same link, as a sender's flows do.
inline std::vector<LinkId> route(std::size_t links) {
    std::vector<LinkId> result;
    const auto hops = *rc::gen::inRange<std::size_t>(0, 6);
    if (hops > 0 && *rc::gen::arbitrary<bool>()) {
        result.push_back(0);
    }
    while (result.size() < std::min(hops, links)) {
        const auto link = *rc::gen::inRange<LinkId>(0, static_cast<LinkId>(links));
        if (std::find(result.begin(), result.end(), link) == result.end()) {
            result.push_back(link);
        } else {
            break;
        }
    }
    return result;
}

inline rc::Gen<FlowCase> flow_cases() {
    return rc::gen::exec([] {
        FlowCase c;
        const auto links = *rc::gen::inRange<std::size_t>(1, 21);
        for (std::size_t i = 0; i < links; ++i) {
            c.links.push_back({bandwidth(), *rc::gen::element(0.0, 0.0, 5e5, 1e6, 1e8)});
        }
        const auto flows = *rc::gen::inRange<std::size_t>(0, 61);
        for (std::size_t i = 0; i < flows; ++i) {
            c.flows.push_back({instant(), route(links), amount_of_bytes()});
        }
        return c;
    });
}

}  // namespace sim::test
