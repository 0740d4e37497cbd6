// These networks price the messages of a collective on the routes of a topology, each as if it were alone, for
// channel_walk.hpp, and optionally check whether the messages disturb each other.
//
// A sender is busy until its message arrives, and its receiver has it then (fair_share.hpp).
#pragma once

#include "libsim/collectives/time/collective_ways.hpp"
#include "libsim/namespaces.hpp"
#include "libsim/network/link_use.hpp"
#include "libsim/network/routes.hpp"

#include <optional>
#include <vector>

namespace sim::collectives {

// The routes between members. Caches each sender's last one: a ring looks its routes up once.
class Routes {
public:
    struct Route {
        int to = -1;
        std::vector<LinkId> links;
        RouteCost cost;
    };

    Routes(const Topology& topology, const CollectiveQuestion& question);
    // The route of the message that `message.from` sends on its channel. Valid until the sender's next change of peer.
    const Route& of(const ChannelMessage& message);

private:
    const Topology* topology_;
    std::span<const int> ranks_;
    std::vector<Route> last_;  // by channel and sender
};

class RoutedMessages {
public:
    using Clock = Time;

    RoutedMessages(const Topology& topology, const CollectiveQuestion& question);

    Time send(Time& sender, const ChannelMessage& message);
    static void receive(Time& receiver, const ChannelMessage& /*message*/, Time there) {
        receiver = receiver < there ? there : receiver;
    }
    // False: at some instant a link would have exceeded its bandwidth.
    bool holds() const { return holds_; }
    void step_ends(const std::vector<Time>& clocks);

private:
    Routes routes_;
    const CollectiveQuestion* question_;
    LinkUse use_;
    bool holds_ = true;
};

}  // namespace sim::collectives
