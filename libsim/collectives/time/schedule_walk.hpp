// Walks a schedule step by step, all members at once: what each sends and receives, when, on a network that says what
// a message costs where it disturbs no other.
//
// A network is any type with
//   Clock                                                       of one member's channel
//   void send(Clock& sender, Message, Time& there)              the sender goes on; when the message is there
//   void receive(Clock& receiver, Message, Time there)
//   bool holds()                                                false: its times are wrong, and the walk ends
//   void step_ends(const std::vector<Clock>&)                   all channels have done a step
// Cost: members x steps x channels.
#pragma once

#include "libsim/check.hpp"
#include "libsim/collectives/schedule.hpp"

#include <deque>
#include <unordered_map>
#include <vector>

namespace sim {

// Of members, not ranks.
struct ChannelMessage {
    int channel = 0;
    int from = 0;
    int to = 0;
    int chunks = 1;
    friend bool operator==(const ChannelMessage&, const ChannelMessage&) = default;
};

struct Walked {
    std::int64_t messages = 0;
    std::int64_t chunks = 0;  // of all messages
};

template <class Network>
class ScheduleWalk {
public:
    using Clock = typename Network::Clock;

    ScheduleWalk(const Schedule& schedule, Network& network)
        : schedule_(schedule),
          network_(network),
          members_(static_cast<std::size_t>(schedule.members)),
          steps_(members_),
          there_(members_) {}

    // `clocks` of channel 0's members, then channel 1's, …: on arrival, and then at the end. False: the network does
    // not hold.
    bool walk(std::vector<Clock>& clocks) {
        check(clocks.size() == members_ * static_cast<std::size_t>(schedule_.channels),
              "{} channels of {} members have {} clocks", schedule_.channels, members_, clocks.size());
        for (int number = 0; number < schedule_.steps; ++number) {
            for (int channel = 0; channel < schedule_.channels; ++channel) {
                Clock* const first = clocks.data() + static_cast<std::size_t>(channel) * members_;
                send_all(channel, number, first);
                receive_all(channel, first);
            }
            if (!network_.holds()) {
                return false;
            }
            network_.step_ends(clocks);
        }
        return true;
    }

    const Walked& walked() const { return walked_; }

private:
    void send_all(int channel, int number, Clock* clocks) {
        for (std::size_t i = 0; i < members_; ++i) {
            const auto member = static_cast<int>(i);
            const Step& step = steps_[i] = schedule_.step(channel, member, number);
            if (step.to < 0) {
                continue;
            }
            const ChannelMessage message{channel, member, step.to, step.send.count()};
            network_.send(clocks[i], message, there_[i]);
            walked_.messages += 1;
            walked_.chunks += message.chunks;
            if (!schedule_.same_step) {
                under_way_[key_of(message)].push_back(there_[i]);
            }
        }
    }

    void receive_all(int channel, Clock* clocks) {
        for (std::size_t i = 0; i < members_; ++i) {
            const Step& step = steps_[i];
            if (step.from >= 0) {
                const ChannelMessage message{channel, step.from, static_cast<int>(i), step.receive.count()};
                network_.receive(clocks[i], message, arrival_of(message));
            }
        }
    }

    Time arrival_of(const ChannelMessage& message) {
        if (schedule_.same_step) {
            return there_[static_cast<std::size_t>(message.from)];
        }
        std::deque<Time>& queue = under_way_[key_of(message)];
        check(!queue.empty(), "member {} receives from {} what was not sent", message.to, message.from);
        const Time there = queue.front();
        queue.pop_front();
        return there;
    }

    std::uint64_t key_of(const ChannelMessage& message) const {
        return (static_cast<std::uint64_t>(message.channel) * members_ + static_cast<std::uint64_t>(message.from)) *
                   members_ +
               static_cast<std::uint64_t>(message.to);
    }

    const Schedule& schedule_;
    Network& network_;
    std::size_t members_;
    std::vector<Step> steps_;
    std::vector<Time> there_;
    std::unordered_map<std::uint64_t, std::deque<Time>> under_way_;
    Walked walked_;
};

}  // namespace sim
