// The messages of a collective under LogGP (libsim/network/loggp.hpp), for schedule_walk.hpp. Always eager.
#pragma once

#include "libsim/kernel/collective_ways.hpp"
#include "libsim/network/loggp.hpp"

#include <algorithm>

namespace sim {

class LogGPMessages {
public:
    struct Clock {
        Time processor;
        Time sending;  // when the card can send again
        Time receiving;
    };

    LogGPMessages(const LogGP& network, Size chunk) : network_(network), chunk_(chunk) {}

    void send(Clock& sender, const ChannelMessage& message, Time& there) const {
        const LogGPSend ends = send_at(network_, std::max(sender.processor, sender.sending), bytes_of(message));
        sender.processor = ends.processor;
        sender.sending = ends.card;
        there = ends.first_byte;
    }
    void receive(Clock& receiver, const ChannelMessage& message, Time there) const {
        const LogGPReceive ends =
            receive_at(network_, std::max({receiver.processor, receiver.receiving, there}), bytes_of(message));
        receiver.processor = ends.processor;
        receiver.receiving = ends.card;
    }
    static bool holds() { return true; }
    static void step_ends(const std::vector<Clock>& /*clocks*/) {}

private:
    std::int64_t bytes_of(const ChannelMessage& message) const { return message_of(chunk_, message.chunks).amount; }

    LogGP network_;
    Size chunk_;
};

}  // namespace sim
