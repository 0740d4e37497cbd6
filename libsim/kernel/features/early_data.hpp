// Early data is what programs have exchanged on their streams ahead of simulated time.
//
// A program that receives data on a stream gets it as soon as the other program has sent it, no matter when the stream
// reaches the receive in simulated time. So the program can issue its next ops at once.
// (1) A channel holds payloads in the order sent, or a program that waits for the next one, never both.
// (2) Nothing here takes time or moves a clock.
#pragma once

#include "libsim/kernel/parts/matching.hpp"
#include "libsim/kernel/parts/rank_state.hpp"

#include <deque>
#include <vector>

namespace sim::kernel {

class EarlyData {
public:
    // `matching`, which numbers the channels, must outlive this object.
    explicit EarlyData(Matching& matching) : matching_(&matching) {}

    // The program of `rank` has issued a send with data on a stream. True: the program of `target`, the send's peer,
    // waited for it, has it now, and goes on.
    bool send(int rank, const Op& send, std::uint32_t payload, RankState& target);
    // Takes the oldest payload for `receive`. False: there is none, and the program waits; or it does not fit, and the
    // run ends with that mismatch when the stream reaches the receive.
    bool receive(int rank, const Op& receive, Delivery& delivery);

private:
    struct Queue {
        std::deque<Delivery> sent;  // sent, not received yet
        bool program_waits = false;
    };
    Queue& queue(int source, int target, const Op& op);
    static bool take(Queue& from, const Op& receive, Delivery& delivery);

    Matching* matching_;
    std::vector<Queue> queues_;
};

}  // namespace sim::kernel
