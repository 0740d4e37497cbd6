// A channel walk follows one channel of a schedule step by step, for all members at once, on a network in which a
// message's price does not depend on others: it is the loop that the time readers share.
//
// A network is any type with
//   Clock                                                  of one member
//   Time send(Clock& sender, const ChannelMessage&)        advances the sender; returns the arrival time
//   void receive(Clock& receiver, const ChannelMessage&, Time there)
// Cost: members x steps. Each step of a member is computed only once, because some are expensive.
#pragma once

#include "libsim/check.hpp"
#include "libsim/collectives/schedule.hpp"
#include "libsim/units.hpp"

#include <algorithm>
#include <vector>

namespace sim::collectives {

// Its ends are members, not ranks.
struct ChannelMessage {
    int channel = 0;
    int from = 0;
    int to = 0;
    int chunks = 1;
    friend bool operator==(const ChannelMessage&, const ChannelMessage&) = default;
};

struct Walked {
    std::int64_t messages = 0;
    std::int64_t chunks = 0;  // in all messages
};

// The messages sent to one member of a collective and not received yet, in sending order. There are few at a time.
class Mailbox {
public:
    void put(int from, Time at) { waiting_.push_back({from, at}); }
    // The arrival time of the oldest message from `from`. Requires: there is one.
    Time take(int from) {
        const auto found =
            std::find_if(waiting_.begin(), waiting_.end(), [from](const Sent& sent) { return sent.from == from; });
        check(found != waiting_.end(), "a member of a collective receives what {} has not sent", from);
        const Time at = found->at;
        waiting_.erase(found);
        return at;
    }

private:
    struct Sent {
        int from;
        Time at;
    };
    std::vector<Sent> waiting_;
};

template <class Network>
class ChannelWalk {
public:
    using Clock = typename Network::Clock;

    ChannelWalk(const Schedule& schedule, int channel, Network& network)
        : schedule_(schedule),
          channel_(channel),
          network_(network),
          same_step_(schedule.synchrony <= Synchrony::same_step),
          receives_(static_cast<std::size_t>(schedule.members)),
          there_(same_step_ ? receives_.size() : 0),
          mailboxes_(same_step_ ? 0 : receives_.size()) {}

    // Advances all members by one step; `clocks` has one per member.
    void step(int number, Clock* clocks) {
        for (std::size_t i = 0; i < receives_.size(); ++i) {
            const auto member = static_cast<int>(i);
            const Step step = schedule_.step(channel_, member, number);
            receives_[i] = {channel_, step.from, member, chunks_of(step.receive)};
            if (step.to >= 0) {
                send({channel_, member, step.to, chunks_of(step.send)}, clocks[i]);
            }
        }
        for (std::size_t i = 0; i < receives_.size(); ++i) {
            if (const ChannelMessage& message = receives_[i]; message.from >= 0) {
                network_.receive(clocks[i], message, arrival_of(message));
            }
        }
    }
    void all_steps(std::vector<Clock>& clocks) {
        for (int number = 0; number < schedule_.steps; ++number) {
            step(number, clocks.data());
        }
    }

    const Walked& walked() const { return walked_; }

private:
    int chunks_of(const ChunkSet& set) const { return schedule_.one_chunk() ? 1 : set.count(); }

    void send(const ChannelMessage& message, Clock& sender) {
        const Time there = network_.send(sender, message);
        walked_.messages += 1;
        walked_.chunks += message.chunks;
        if (same_step_) {
            there_[static_cast<std::size_t>(message.from)] = there;
        } else {
            mailboxes_[static_cast<std::size_t>(message.to)].put(message.from, there);
        }
    }

    Time arrival_of(const ChannelMessage& message) {
        return same_step_ ? there_[static_cast<std::size_t>(message.from)]
                          : mailboxes_[static_cast<std::size_t>(message.to)].take(message.from);
    }

    const Schedule& schedule_;
    int channel_;
    Network& network_;
    bool same_step_;
    std::vector<ChannelMessage> receives_;  // of each member in this step
    std::vector<Time> there_;               // by sender, if messages are received in the step in which they are sent
    std::vector<Mailbox> mailboxes_;        // by receiver, otherwise
    Walked walked_;
};

}  // namespace sim::collectives
