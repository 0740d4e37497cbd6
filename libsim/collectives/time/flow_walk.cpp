// This file computes a collective's time on shared links: its messages are flows, each started when its sender reaches
// it.
#include "libsim/check.hpp"
#include "libsim/collectives/time/collective_ways.hpp"
#include "libsim/collectives/time/routed_messages.hpp"
#include "libsim/network/flows.hpp"

#include <algorithm>

namespace sim::collectives {

namespace {

// One member's progress through the steps of one channel. In each it first sends, then receives.
struct Walker {
    Time clock;
    int number = 0;  // of the step it is in
    Step step;
    bool receives = false;  // done sending in this step
    struct Arrived {
        int from;
        Time at;
    };
    std::vector<Arrived> mailbox;  // arrived messages that it has not received yet, in sending order
};

class FlowWalk {
public:
    FlowWalk(const CollectiveQuestion& question, const Topology& topology)
        : question_(question), members_(question.ranks.size()), routes_(topology, question), network_(topology) {
        for (const Time arrival : arrivals_of(question)) {
            walkers_.push_back({.clock = arrival, .step = {}, .mailbox = {}});
        }
    }

    void walk() {
        for (std::size_t i = 0; i < walkers_.size(); ++i) {
            begin_step(i);
        }
        std::vector<FlowNetwork::Ended> ended;
        std::vector<std::size_t> senders;
        while (network_.next_event()) {
            ended.clear();
            network_.advance(ended);
            // Collects all first, because a resumed sender may start a flow that reuses the number of one that has
            // ended.
            senders.clear();
            for (const FlowNetwork::Ended& flow : ended) {
                senders.push_back(sender_of_[flow.flow]);
            }
            for (std::size_t i = 0; i < ended.size(); ++i) {
                end(senders[i], end_of_flow(ended[i].at));
            }
        }
        for (const Walker& walker : walkers_) {
            check(walker.number == question_.schedule.steps, "a member stops in step {} of {}", walker.number,
                  question_.schedule.steps);
        }
    }

    std::vector<Time> ends() const {
        std::vector<Time> ends;
        for (const Walker& walker : walkers_) {
            ends.push_back(walker.clock);
        }
        return last_of_channels(ends, question_.schedule.members);
    }
    const Walked& walked() const { return walked_; }

private:
    int channel_of(std::size_t walker) const { return static_cast<int>(walker / members_); }
    int member_of(std::size_t walker) const { return static_cast<int>(walker % members_); }

    // Proceeds from the beginning of a step until it sends or waits.
    void begin_step(std::size_t at) {
        Walker& self = walkers_[at];
        while (self.number < question_.schedule.steps) {
            self.step = question_.schedule.step(channel_of(at), member_of(at), self.number);
            if (self.step.to >= 0) {
                send(at);
                return;
            }
            self.receives = true;
            if (!receive(self)) {
                return;
            }
        }
    }

    void send(std::size_t at) {
        const Walker& self = walkers_[at];
        const ChannelMessage message{channel_of(at), member_of(at), self.step.to, self.step.send.count()};
        const Bytes bytes = bytes_of_message(question_, message.chunks);
        // A flow's end may be rounded down by less than a thousandth of a picosecond.
        const double begin = std::max(static_cast<double>(self.clock.time_since_epoch().count()), network_.now());
        const FlowNetwork::FlowId flow =
            network_.start(begin, routes_.of(message).links, static_cast<double>(bytes.count));
        if (flow >= sender_of_.size()) {
            sender_of_.resize(flow + std::size_t{1});
        }
        sender_of_[flow] = at;
        walked_.messages += 1;
        walked_.chunks += message.chunks;
    }

    // Ends the step if its message has arrived.
    bool receive(Walker& self) const {
        if (self.step.from >= 0) {
            const auto letter = std::find_if(self.mailbox.begin(), self.mailbox.end(),
                                             [&](const auto& arrived) { return arrived.from == self.step.from; });
            if (letter == self.mailbox.end()) {
                return false;
            }
            self.clock = std::max(self.clock, letter->at);
            self.mailbox.erase(letter);
        }
        self.receives = false;
        ++self.number;
        return true;
    }

    // The message that `at` sends has arrived.
    void end(std::size_t at, Time time) {
        Walker& sender = walkers_[at];
        // Read before the sender goes on, which replaces its step.
        const auto to = static_cast<std::size_t>(sender.step.to);
        const std::size_t receiver = static_cast<std::size_t>(channel_of(at)) * members_ + to;
        walkers_[receiver].mailbox.push_back({member_of(at), time});
        sender.clock = time;
        sender.receives = true;
        go_on(at);
        if (receiver != at) {
            go_on(receiver);
        }
    }

    void go_on(std::size_t at) {
        if (walkers_[at].receives && receive(walkers_[at])) {
            begin_step(at);
        }
    }

    const CollectiveQuestion& question_;
    std::size_t members_;
    Routes routes_;
    FlowNetwork network_;
    std::vector<Walker> walkers_;         // by channel and member
    std::vector<std::size_t> sender_of_;  // by flow
    Walked walked_;
};

}  // namespace

std::optional<Found> by_flows(const CollectiveQuestion& question) {
    const auto topology = question.cluster.network->shared_topology();
    if (topology == nullptr) {
        return std::nullopt;
    }
    FlowWalk walk(question, *topology);
    walk.walk();
    return Found{walk.ends(),
                 "links are shared and members drift apart: its messages were simulated as flows, begun when their "
                 "senders come to them, and solved whenever one begins or ends",
                 walk.walked()};
}

}  // namespace sim::collectives
