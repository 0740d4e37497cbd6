// A collective's time step by step, as if each message were alone.
#include "libsim/kernel/collective_ways.hpp"
#include "libsim/kernel/loggp_messages.hpp"
#include "libsim/kernel/member_costs.hpp"
#include "libsim/kernel/routed_messages.hpp"

namespace sim {

namespace {

Found on_uniform_links(const CollectiveQuestion& question) {
    std::vector<MemberClock> members = member_clocks(question);
    read_time(question.schedule, link_costs(question), members, Reading::always_step_by_step);
    Found found{.ends = {},
                .why =
                    "no two messages share a link on this network, so each member's clock follows from its own and "
                    "its senders'",
                .walked = {}};
    for (const MemberClock& member : members) {
        found.ends.push_back(member.time);
        found.walked.messages += member.messages;
        found.walked.chunks += member.chunks;
    }
    return found;
}

Found on_loggp(const CollectiveQuestion& question, const LogGP& network) {
    LogGPMessages messages(network, chunk_of(question));
    std::vector<LogGPMessages::Clock> clocks;
    for (const Time arrival : arrivals_of(question)) {
        clocks.push_back({arrival, arrival, arrival});
    }
    ScheduleWalk walk(question.schedule, messages);
    walk.walk(clocks);
    std::vector<Time> ends;
    for (const LogGPMessages::Clock& clock : clocks) {
        ends.push_back(clock.processor);
    }
    return {
        last_of_channels(ends, question.schedule.members),
        "under LogGP messages share nothing but the processor and card of their two ends, which a step's clocks hold",
        walk.walked()};
}

std::optional<Found> on_routes(const CollectiveQuestion& question, const Topology& topology) {
    RoutedMessages messages(topology, question);
    std::vector<Time> clocks = arrivals_of(question);
    ScheduleWalk walk(question.schedule, messages);
    if (!walk.walk(clocks)) {
        return std::nullopt;
    }
    return Found{last_of_channels(clocks, question.schedule.members),
                 "at no instant did the messages under way ask a link for more than its bandwidth, so each had its own "
                 "route's for itself",
                 walk.walked()};
}

}  // namespace

std::optional<Found> by_recurrence(const CollectiveQuestion& question) {
    if (const auto* loggp = std::get_if<LogGP>(&question.cluster.network)) {
        return on_loggp(question, *loggp);
    }
    if (const auto* shared = std::get_if<FairShare>(&question.cluster.network)) {
        return on_routes(question, *shared->topology);
    }
    return on_uniform_links(question);
}

}  // namespace sim
