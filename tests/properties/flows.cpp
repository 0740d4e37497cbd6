// Properties of all links and flows: max-min conditions, incremental = full, order does not matter, no byte is lost.
#include "libsim/network/flows.hpp"
#include "tests/properties/flow_cases.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace {

using namespace sim;
using test::FlowCase;

constexpr double rounding = 1e-12;
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> bandwidths(const FlowCase& c) {
    std::vector<double> result;
    for (const auto& link : c.links) {
        result.push_back(link.bytes_per_second);
    }
    return result;
}

// Runs a case, and records all rates and bytes after every event.
struct Watched {
    explicit Watched(const FlowCase& flow_case) : c(flow_case), network(c.links), bytes(c.flows.size(), 0) {
        for (const PlannedFlow& flow : c.flows) {
            double latency = 0;
            for (const LinkId link : flow.route) {
                latency += c.links[link].latency;
            }
            begins.push_back(flow.at + latency);
            ids.push_back(network.start(flow.at, flow.route, flow.bytes));
        }
        rates.resize(c.flows.size(), 0);
    }

    std::vector<std::size_t> draining() {
        std::vector<std::size_t> result;
        for (std::size_t i = 0; i < c.flows.size(); ++i) {
            if (ids[i] != gone && begins[i] <= network.now() && !c.flows[i].route.empty() && c.flows[i].bytes > 0) {
                result.push_back(i);
            }
        }
        return result;
    }

    // Returns false when nothing is left.
    bool step() {
        if (!network.next_event()) {
            return false;
        }
        for (const std::size_t i : draining()) {
            rates[i] = network.rate(ids[i]);
        }
        const double before = network.now();
        std::vector<FlowNetwork::Ended> ended;
        network.advance(ended);
        for (std::size_t i = 0; i < rates.size(); ++i) {
            bytes[i] += rates[i] * (network.now() - before) / 1e12;
        }
        for (const FlowNetwork::Ended& end : ended) {
            const auto i = static_cast<std::size_t>(std::find(ids.begin(), ids.end(), end.flow) - ids.begin());
            ids[i] = gone;
            rates[i] = 0;
        }
        return true;
    }

    static constexpr FlowNetwork::FlowId gone = UINT32_MAX;
    const FlowCase& c;
    FlowNetwork network;
    std::vector<FlowNetwork::FlowId> ids;
    std::vector<double> begins;
    std::vector<double> rates;
    std::vector<double> bytes;  // drained by each flow
};

void expect_max_min(const FlowCase& c, const std::vector<std::size_t>& flows, const std::vector<double>& rates) {
    std::vector<double> load(c.links.size(), 0);
    std::vector<double> fastest(c.links.size(), 0);
    for (std::size_t i = 0; i < flows.size(); ++i) {
        for (const LinkId link : c.flows[flows[i]].route) {
            load[link] += rates[i];
            fastest[link] = std::max(fastest[link], rates[i]);
        }
    }
    for (std::size_t link = 0; link < load.size(); ++link) {
        RC_ASSERT(load[link] <= c.links[link].bytes_per_second * (1 + rounding));
    }
    for (std::size_t i = 0; i < flows.size(); ++i) {
        const std::vector<LinkId>& route = c.flows[flows[i]].route;
        RC_ASSERT(std::any_of(route.begin(), route.end(), [&](LinkId link) {
            return load[link] >= c.links[link].bytes_per_second * (1 - rounding) &&
                   rates[i] >= fastest[link] * (1 - rounding);
        }));
    }
}

TEST(FlowProperties, NoLinkCarriesMoreThanItsBandwidthAndEveryFlowIsAmongTheFastestOfAFullLink) {
    test::for_all(1500, [] {
        const FlowCase c = *test::flow_cases();
        Watched run(c);
        do {
            const std::vector<std::size_t> flows = run.draining();
            std::vector<double> rates;
            for (const std::size_t i : flows) {
                rates.push_back(run.network.rate(run.ids[i]));
            }
            expect_max_min(c, flows, rates);
        } while (run.step());
    });
}

TEST(FlowProperties, RatesSolvedWhereTheyChangeEqualThoseSolvedEverywhereToTheLastBit) {
    test::for_all(3000, [] {
        const FlowCase c = *test::flow_cases();
        const std::vector<double> links = bandwidths(c);
        Watched run(c);
        do {
            std::vector<double> rates;
            std::vector<std::vector<LinkId>> routes;
            for (const std::size_t i : run.draining()) {
                rates.push_back(run.network.rate(run.ids[i]));
                routes.push_back(c.flows[i].route);
            }
            RC_ASSERT(rates == test::max_min_rates(links, routes));
        } while (run.step());
    });
}

TEST(FlowProperties, FinishTimesEqualThoseOfSolvingEverythingAtEveryInstantToTheLastBit) {
    test::for_all(4000, [] {
        const FlowCase c = *test::flow_cases();
        RC_ASSERT(finish_times(c.links, c.flows) == test::PlainFlows(c.links, c.flows).finish_times());
    });
}

TEST(FlowProperties, TheOrderOfStartsChangesNoFinishTimeByABit) {
    test::for_all(2000, [] {
        const FlowCase c = *test::flow_cases();
        std::vector<std::size_t> order(c.flows.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto keys = *rc::gen::container<std::vector<int>>(order.size(), rc::gen::arbitrary<int>());
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
        std::vector<PlannedFlow> reordered;
        std::vector<double> expected;
        const std::vector<double> finish = finish_times(c.links, c.flows);
        for (const std::size_t i : order) {
            reordered.push_back(c.flows[i]);
            expected.push_back(finish[i]);
        }
        RC_ASSERT(finish_times(c.links, reordered) == expected);
    });
}

// Starts flows one by one when they are due, as a simulator does, with queries in between.
std::vector<double> started_when_due(const FlowCase& c, const std::vector<int>& asks) {
    FlowNetwork network(c.links);
    std::vector<std::size_t> order(c.flows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return c.flows[a].at < c.flows[b].at; });
    std::map<FlowNetwork::FlowId, std::size_t> under_way;
    std::vector<double> result(c.flows.size(), -1);
    std::vector<FlowNetwork::Ended> ended;
    std::size_t next = 0;
    while (next < order.size() || network.next_event()) {
        const double start = next < order.size() ? c.flows[order[next]].at : infinity;
        if (network.next_event().value_or(infinity) <= start && network.next_event()) {
            ended.clear();
            network.advance(ended);
            for (const FlowNetwork::Ended& end : ended) {
                result[under_way.at(end.flow)] = end.at;
                under_way.erase(end.flow);
            }
            continue;
        }
        for (; next < order.size() && c.flows[order[next]].at == start; ++next) {
            const std::size_t i = order[next];
            under_way[network.start(start, c.flows[i].route, c.flows[i].bytes)] = i;
            if (asks[i] % 2 == 0) {
                network.next_event();
            }
        }
    }
    return result;
}

TEST(FlowProperties, AskingBetweenTheStartsOfOneInstantChangesNoFinishTimeByABit) {
    test::for_all(2000, [] {
        const FlowCase c = *test::flow_cases();
        const auto asks = *rc::gen::container<std::vector<int>>(c.flows.size(), rc::gen::inRange(0, 2));
        RC_ASSERT(started_when_due(c, asks) == finish_times(c.links, c.flows));
    });
}

// Each flow that ends is followed at that instant by one over the same links, until `more` flows have ended.
std::vector<double> one_after_another(const FlowCase& c, int more, bool ask_before) {
    FlowNetwork network(c.links);
    std::map<FlowNetwork::FlowId, std::size_t> under_way;
    const auto start = [&](double at, std::size_t i) {
        under_way[network.start(at, c.flows[i].route, c.flows[i].bytes)] = i;
    };
    for (std::size_t i = 0; i < c.flows.size(); ++i) {
        start(c.flows[i].at, i);
    }
    std::vector<double> result;
    std::vector<FlowNetwork::Ended> ended;
    while (network.next_event()) {
        ended.clear();
        network.advance(ended);
        if (ask_before) {
            network.next_event();
        }
        for (const FlowNetwork::Ended& end : ended) {
            result.push_back(end.at);
            const std::size_t i = under_way.at(end.flow);
            under_way.erase(end.flow);
            if (more-- > 0) {
                start(end.at, i);
            }
        }
    }
    return result;
}

TEST(FlowProperties, AskingBeforeTheNextMessageStartsChangesNoFinishTimeByABit) {
    test::for_all(500, [] {
        FlowCase c = *test::flow_cases();
        for (auto& link : c.links) {
            link.latency = 0;
        }
        RC_ASSERT(one_after_another(c, 100, false) == one_after_another(c, 100, true));
    });
}

TEST(FlowProperties, EveryFlowDrainsItsBytes) {
    test::for_all(1000, [] {
        const FlowCase c = *test::flow_cases();
        Watched run(c);
        int events = 0;
        while (run.step()) {
            RC_ASSERT(++events <= static_cast<int>(2 * c.flows.size()));
        }
        for (std::size_t i = 0; i < c.flows.size(); ++i) {
            const double expected = c.flows[i].route.empty() ? 0 : c.flows[i].bytes;
            RC_ASSERT(std::abs(run.bytes[i] - expected) <= expected * 1e-9);
        }
    });
}

}  // namespace
