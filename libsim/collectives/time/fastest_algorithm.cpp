#include "libsim/collectives/time/fastest_algorithm.hpp"

#include "libsim/check.hpp"
#include "libsim/collectives/time/collective_ways.hpp"
#include "libsim/collectives/time/routed_messages.hpp"
#include "libsim/network/routes.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace sim::collectives {

namespace {

using Cost = std::function<Duration(const ChannelMessage&)>;

// The sender's cost of a message alone. Must not outlive the question.
Cost sender_cost(const CollectiveQuestion& question) {
    const Network& network = question.cluster.network;
    if (network->prices_collectives()) {
        return [](const ChannelMessage&) { return Duration{0}; };  // such a network's collectives are not made of
                                                                   // messages
    }
    if (network->times_ends()) {
        return [&network, &question](const ChannelMessage& message) {
            return network->send_at(Time{}, bytes_of_message(question, message.chunks).count)
                .processor.time_since_epoch();
        };
    }
    if (const auto topology = network->shared_topology()) {
        auto routes = std::make_shared<Routes>(*topology, question);
        return [routes, &question](const ChannelMessage& message) {
            return routes->of(message).cost.of(bytes_of_message(question, message.chunks));
        };
    }
    return [costs = link_costs(question)](const ChannelMessage& message) {
        return costs.send(costs.hop(message.from, message.to), message.chunks);
    };
}

// Members at the edges of nodes and of the group, whose work may differ from that of others. Every member gives a lower
// bound, so leaving others out makes it weaker, not wrong.
std::vector<int> some_members(const Schedule& schedule) {
    std::vector<int> some;
    for (const int member :
         {0, 1, 7, schedule.members / 2 - 1, schedule.members / 2, schedule.members - 1, schedule.root}) {
        if (member >= 0 && member < schedule.members && std::find(some.begin(), some.end(), member) == some.end()) {
            some.push_back(member);
        }
    }
    return some;
}

}  // namespace

Duration least_time(const CollectiveQuestion& question) {
    const Cost cost = sender_cost(question);
    const Schedule& schedule = question.schedule;
    Time least{};
    for (const int member : some_members(schedule)) {
        for (int channel = 0; channel < schedule.channels; ++channel) {
            Time sent{};
            for (int number = 0; number < schedule.steps; ++number) {
                if (const Step step = schedule.step(channel, member, number); step.to >= 0) {
                    sent = later(sent, cost({channel, member, step.to, step.send.count()}));
                }
            }
            least = std::max(least, sent);
        }
    }
    return least.time_since_epoch();
}

Comparison fastest_algorithm(const ComparisonQuestion& question, std::span<const AlgorithmConfig> configs) {
    check(!configs.empty(), "there is no method to choose from");
    std::vector<Schedule> schedules;
    Comparison contest;
    const auto ask = [&](const Schedule& schedule) {
        return CollectiveQuestion{question.cluster, schedule, question.size, question.ranks, question.arrivals, true};
    };
    for (const AlgorithmConfig& config : configs) {
        schedules.push_back(schedule_of(question.kind, config, static_cast<int>(question.ranks.size()), question.root));
        contest.all.push_back({.config = config, .at_least = least_time(ask(schedules.back())), .time = {}});
    }
    // Most promising first, so that others can be skipped.
    std::vector<std::size_t> order(configs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return contest.all[a].at_least < contest.all[b].at_least; });
    std::optional<Time> best;
    for (const std::size_t i : order) {
        CandidateTime& prediction = contest.all[i];
        // An equal bound is not skipped: of equal times, the method listed first wins.
        if (best && Time{prediction.at_least} > *best) {
            continue;
        }
        prediction.time = collective_time(ask(schedules[i]));
        const Time end = prediction.time->end();
        if (!best || end < *best || (end == *best && i < contest.fastest)) {
            best = end;
            contest.fastest = i;
        }
    }
    return contest;
}

Wiring wiring_of(const Cluster& cluster) {
    const auto topology = cluster.network->shared_topology();
    return topology == nullptr ? Wiring::private_links : has_rails(*topology) ? Wiring::rails : Wiring::shared_links;
}

int gpus_per_node(const Cluster& cluster) {
    const auto topology = cluster.network->shared_topology();
    return topology != nullptr ? topology->gpus_per_node() : ranks_per_node(cluster);
}

}  // namespace sim::collectives
