// This queue holds data that programs have exchanged on their streams ahead of simulated time.
//
// A program that receives data on a stream has it as soon as the other program has sent it, whenever the stream reaches
// the receive in simulated time. So the program can issue its next ops at once. The n-th receive of a channel has the
// data of its n-th send, whichever is asked for first.
#pragma once

#include "libsim/kernel/matching.hpp"
#include "libsim/kernel/rank_state.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace sim::kernel {

class DataAhead {
public:
    using Place = std::uint32_t;  // of a receive, in its channel

    // The next receive of a channel.
    Place expect(Matching::Channel channel) { return queue(channel).expected++; }
    // Puts a payload into a channel. True: the program at the other end is waiting for it.
    bool send(Matching::Channel channel, const Delivery& payload);
    // Takes the payload of a receive that wants so many bytes. False: it is not there, and the program waits; or it
    // does not fit, and the run ends with that mismatch when the stream reaches the receive.
    bool receive(Matching::Channel channel, Place place, std::uint64_t bytes, Delivery& delivery);
    // The same, for the program that waits.
    bool receive_awaited(Matching::Channel channel, std::uint64_t bytes, Delivery& delivery);
    // Nobody will take it.
    void drop(Matching::Channel channel, Place place);

private:
    struct Sent {
        Delivery payload = {};
        bool is_there = false;
        bool is_gone = false;
    };
    struct Queue {
        std::deque<Sent> sent;  // from `first` on
        Place first = 0;
        Place expected = 0;
        Place next = 0;                // to be sent
        std::optional<Place> awaited;  // by the program

        Sent& at(Place place);
        void forget_gone();
    };
    Queue& queue(Matching::Channel channel);

    std::vector<Queue> queues_;
};

}  // namespace sim::kernel
