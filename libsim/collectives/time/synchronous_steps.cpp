// This file computes a collective's time on shared links if all members step together: one max-min solve per step.
#include "libsim/collectives/time/collective_ways.hpp"
#include "libsim/collectives/time/routed_messages.hpp"
#include "libsim/network/flows.hpp"

#include <algorithm>

namespace sim::collectives {

namespace {

using Messages = std::vector<ChannelMessage>;

class TogetherByStep {
public:
    TogetherByStep(const CollectiveQuestion& question, const Topology& topology)
        : question_(question), topology_(topology), routes_(topology, question) {}

    // The duration of a step with these messages; empty if they do not all end together.
    std::optional<Duration> time_of(const Messages& messages) {
        if (messages == solved_) {
            return time_;
        }
        FlowNetwork network(topology_);
        for (const ChannelMessage& message : messages) {
            const Bytes bytes = bytes_of_message(question_, message.chunks);
            // Each step starts at 0, in a network of its own: nothing of the former step is left, and rates do not
            // depend on when it begins.
            network.start(0, routes_.of(message).links, static_cast<double>(bytes.count));
        }
        std::vector<FlowNetwork::Ended> ended;
        while (network.next_event()) {
            network.advance(ended);
        }
        const Time end = end_of_flow(ended.front().at);
        // Compared in whole picoseconds, the precision of every member's clock.
        const bool together =
            std::all_of(ended.begin(), ended.end(), [end](const auto& flow) { return end_of_flow(flow.at) == end; });
        solved_ = messages;
        time_ = together ? std::optional(end.time_since_epoch()) : std::nullopt;
        return time_;
    }

private:
    const CollectiveQuestion& question_;
    const Topology& topology_;
    Routes routes_;
    Messages solved_;
    std::optional<Duration> time_;
};

// The messages of one step; empty if some member's channel neither sends nor receives in it.
Messages messages_of(const Schedule& schedule, int number) {
    Messages messages;
    for (int channel = 0; channel < schedule.channels; ++channel) {
        for (int member = 0; member < schedule.members; ++member) {
            const Step step = schedule.step(channel, member, number);
            // A member with nothing to do would begin its next step early, and its messages would not start with the
            // others.
            if (step.to < 0 && step.from < 0) {
                return {};
            }
            if (step.to >= 0) {
                messages.push_back({channel, member, step.to, step.send.count()});
            }
        }
    }
    return messages;
}

bool arrive_together(std::span<const Time> arrivals) {
    return std::all_of(arrivals.begin(), arrivals.end(), [&](Time time) { return time == arrivals.front(); });
}

}  // namespace

std::optional<Found> by_synchronous_steps(const CollectiveQuestion& question) {
    const auto topology = question.cluster.network->shared_topology();
    if (topology == nullptr || question.schedule.synchrony > Synchrony::same_step ||
        !arrive_together(question.arrivals)) {
        return std::nullopt;
    }
    TogetherByStep steps(question, *topology);
    Walked walked;
    Time now = question.arrivals.empty() ? Time{} : question.arrivals.front();
    for (int number = 0; number < question.schedule.steps; ++number) {
        const Messages messages = messages_of(question.schedule, number);
        const auto time = messages.empty() ? std::nullopt : steps.time_of(messages);
        if (!time) {
            return std::nullopt;
        }
        now = later(now, *time);
        walked.messages += static_cast<std::int64_t>(messages.size());
        for (const ChannelMessage& message : messages) {
            walked.chunks += message.chunks;
        }
    }
    return Found{
        std::vector<Time>(question.ranks.size(), now),
        "links are shared, but all members begin each step together and all its messages end together: the sum "
        "of the steps, each a max-min fair solution",
        walked};
}

}  // namespace sim::collectives
