// A network is one of the network models below, and answers what the simulator asks of any of them (model.hpp).
//
// docs/network.md states which side pays which cost, and when.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/fair_share.hpp"
#include "libsim/network/loggp.hpp"
#include "libsim/network/model.hpp"
#include "libsim/network/nccl.hpp"
#include "libsim/network/node_map.hpp"
#include "libsim/network/nodes.hpp"
#include "libsim/network/uniform.hpp"

#include <variant>

namespace sim::network {

template <NetworkModel... Models>
using AnyOf = std::variant<Models...>;

// One row a model.
using Network = AnyOf<Uniform,    //
                      Nodes,      //
                      LogGP,      //
                      FairShare,  //
                      Nccl>;

// The way a network times messages: exactly one of these three holds.
bool prices_messages(const Network& network);
bool times_ends(const Network& network);
// Null where messages do not share links.
std::shared_ptr<const Topology> shared_topology(const Network& network);

// Whether it prices collectives as a whole.
bool prices_collectives(const Network& network);

bool prices(const Network& network, Measure measure, Hop hop);
NodeMap node_map(const Network& network);

// Requires: prices_messages(), and the network prices what `size` counts.
Duration message_time(const Network& network, Size size, Hop hop);
// The time that the receiver of any message pays once it has arrived; 0 where that depends on the message.
Duration acknowledgement_time(const Network& network, Hop hop);

// Require: times_ends().
SendTimes send_at(const Network& network, Time begin, std::int64_t bytes);
ReceiveTimes receive_at(const Network& network, Time begin, std::int64_t bytes);
bool waits_for_receiver(const Network& network, std::int64_t bytes);

// Require: prices_collectives(). The second is what each member sends, on average, in the measure of `amount`.
Duration collective_time(const Network& network, CollectiveKind kind, std::int64_t bytes, const Footprint& members);
std::int64_t sent_in_collective(const Network& network, CollectiveKind kind, std::int64_t amount,
                                const Footprint& members);

}  // namespace sim::network
