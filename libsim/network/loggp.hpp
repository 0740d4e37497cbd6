// LogGP models the cost of a message for the processors and network cards at its two ends, and its time in transit.
//
// w = bytes - 1 (0 for an empty message). A rank has a processor, which computes, sends and receives one after another,
// and a network card, which sends and receives independently.
//
//   a send begins at  t = max(processor, card's sending side)
//     processor        busy until  t + o + w O
//     card, sending    busy until  t + g + w G
//     the first byte   reaches the receiver's card at  t + o + L
//   its receive begins at  a = max(processor, card's receiving side, first byte), once the program asks for it
//     processor        busy until  a + o + w max(O, G): the message has arrived
//     card, receiving  busy until  a + g + w G
//
// A message of up to S bytes is eager: its sender resumes when its processor is free. A longer one is a rendezvous: its
// sender resumes no earlier than the receive begins. Messages of collectives are always eager: their buffers are known
// in advance. Each stream has a processor and a card of its own. Prices bytes only.
// Source: Alexandrov, Ionescu, Schauser & Scheiman, LogGP, SPAA (1995); Hoefler, Schneider & Lumsdaine, LogGOPSim, HPDC
// (2010), which charges a receiver as soon as the message arrives, with or without a receive; so does `ndsim goal`.
#pragma once

#include "libsim/network/model.hpp"
#include "libsim/units.hpp"

#include <vector>

namespace sim::network {

struct LogGP {
    Duration latency{0};           // L
    Duration overhead{0};          // o, per message, at both ends
    Duration gap{0};               // g, between two messages of a card
    Pace gap_per_byte{0, 1};       // G
    Pace overhead_per_byte{0, 1};  // O
    Bytes eager_limit{INT64_MAX};  // S

    // The interface that the simulator requires (model.hpp).
    SendTimes send_at(Time begin, std::int64_t bytes) const;
    ReceiveTimes receive_at(Time begin, std::int64_t bytes) const;
    bool waits_for_receiver(std::int64_t bytes) const { return bytes > eager_limit.count; }
    static constexpr const char* profile_kind = "loggp";
    std::vector<NetworkField> fields();
};

}  // namespace sim::network
