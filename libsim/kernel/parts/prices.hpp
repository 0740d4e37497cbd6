// Prices gives the cost of ops that depend on nothing else in progress: computations, and messages on networks that
// price them.
//
// Programs repeat a few sizes, so the last price of a computation and of each hop is cached.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/faults/conditions.hpp"
#include "libsim/kernel/parts/streams.hpp"

#include <array>

namespace sim::kernel {

// The times of a send, and whether its sender then waits for the receiver.
struct Sending {
    SendTimes times;
    bool waits_for_receiver = false;
};

class Prices {
public:
    // `conditions` must outlive this object. Requires: if the network has nodes, a node for each rank.
    Prices(const Cluster& cluster, int ranks, const faults::Conditions& conditions);

    const Cluster& cluster() const { return cluster_; }
    const NodeMap& nodes() const { return nodes_; }
    const std::array<Duration, 2>& acknowledgements() const { return acknowledgements_; }  // by hop
    Duration acknowledgement(int source, int target) const {
        return acknowledgements_[static_cast<std::size_t>(nodes_.hop(source, target))];
    }

    // The price of an op that `rank` begins at `at`. Throws ProgramError, which names rank, op and time, if the cluster
    // has no price.
    Duration computation(int rank, const Op& op, std::uint32_t number, Time at) {
        return price(last_computation_, rank, op, number, at);
    }
    // The same for a computation, ignoring temporary slowdowns by faults.
    Duration undisturbed_computation(int rank, const Op& op, std::uint32_t number, Time at) const;
    Duration message(int rank, const Op& op, std::uint32_t number, Time at) {
        return price(last_messages_[static_cast<std::size_t>(nodes_.hop(rank, op.peer))], rank, op, number, at);
    }
    // The times of a message on a network that times both of its ends, and whether its sender then waits.
    Sending sending_at_ends(int rank, const Op& op, std::uint32_t number, Time begin) const;
    // When a receiver that takes a message at `begin` is done with it, on such a network.
    ReceiveTimes receiving(Time begin, const Message& message) const {
        return cluster_.network->receive_at(begin, bytes_of(cluster_, Size{message.amount, message.measure}));
    }
    // Throws the same error if the network has no price for the message's unit.
    void require_for_message(int rank, const Op& op, std::uint32_t number, Time at) const;

private:
    struct LastPrice {
        std::int64_t amount = -1;
        Measure measure = Measure::bytes;
        Duration price{0};
    };

    Duration price(LastPrice& last, int rank, const Op& op, std::uint32_t number, Time at) {
        return last.amount == op.amount && last.measure == op.measure ? last.price
                                                                      : new_price(last, rank, op, number, at);
    }
    Duration new_price(LastPrice& last, int rank, const Op& op, std::uint32_t number, Time at) const;
    Duration undisturbed(int rank, const Op& op, std::uint32_t number, Time at) const;

    Cluster cluster_;
    const faults::Conditions* conditions_;
    NodeMap nodes_;
    std::array<Duration, 2> acknowledgements_;
    LastPrice last_computation_;
    std::array<LastPrice, 2> last_messages_;  // by hop
};

}  // namespace sim::kernel
