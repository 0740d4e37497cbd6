// This queue holds data that programs have exchanged on their streams ahead of simulated time.
//
// A program that receives data on a stream gets it as soon as the other program has sent it, no matter when the stream
// reaches the receive in simulated time. So the program can issue its next ops at once.
#pragma once

#include "libsim/kernel/parts/matching.hpp"
#include "libsim/kernel/parts/rank_state.hpp"

#include <deque>
#include <vector>

namespace sim::kernel {

class EarlyData {
public:
    // Puts a payload into a channel. True: the program at the other end is waiting for it.
    bool send(Matching::Channel channel, const Delivery& payload);
    // Takes the oldest payload for `receive`. False: there is none, and the program waits; or it does not fit, and the
    // run ends with that mismatch when the stream reaches the receive.
    bool receive(Matching::Channel channel, const Op& receive, Delivery& delivery);

private:
    struct Queue {
        std::deque<Delivery> sent;  // sent, not received yet
        bool program_waits = false;
    };
    Queue& queue(Matching::Channel channel);

    std::vector<Queue> queues_;
};

}  // namespace sim::kernel
