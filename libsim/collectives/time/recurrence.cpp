// A collective's time step by step, as if each message were alone.
#include "libsim/collectives/readers/loggp_reader.hpp"
#include "libsim/collectives/time/collective_ways.hpp"
#include "libsim/collectives/time/member_costs.hpp"
#include "libsim/collectives/time/routed_messages.hpp"

namespace sim {

namespace {

void count(Found& found, const std::vector<MemberClock>& members) {
    for (const MemberClock& member : members) {
        found.walked.messages += member.messages;
        found.walked.chunks += member.chunks;
    }
}

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
    }
    count(found, members);
    return found;
}

Found on_loggp(const CollectiveQuestion& question) {
    Found found{.ends = {},
                .why =
                    "under LogGP messages share nothing but the processor and card of their two ends, which a step's "
                    "clocks hold",
                .walked = {}};
    std::vector<Time> ends;
    for (int channel = 0; channel < question.schedule.channels; ++channel) {
        std::vector<MemberClock> members = member_clocks(question);
        read_channel_by_loggp(question.schedule, channel, question.cluster, chunk_of(question), members);
        for (const MemberClock& member : members) {
            ends.push_back(member.time);
        }
        count(found, members);
    }
    found.ends = last_of_channels(ends, question.schedule.members);
    return found;
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
    if (std::holds_alternative<LogGP>(question.cluster.network)) {
        return on_loggp(question);
    }
    if (std::holds_alternative<Nccl>(question.cluster.network)) {
        return std::nullopt;  // it has no steps
    }
    if (const auto* shared = std::get_if<FairShare>(&question.cluster.network)) {
        return on_routes(question, *shared->topology);
    }
    return on_uniform_links(question);
}

}  // namespace sim
