// The uniform network connects every pair of ranks alike, and no two transfers disturb each other.
//
//   sender    busy for  latency + size * pace        from the later of its own time and the end of its last send
//   receiver  busy for  acknowledgement              from the later of its own time and the end of the send
//
// A message of the `gpu-py` profile costs the sender 0.05 s + 0.01 s per unit and the receiver 0.05 s more.
// Source: GPU.send and GPU.receive of the original Python simulator.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/model.hpp"
#include "libsim/units.hpp"

#include <optional>

namespace sim::network {

struct Uniform {
    Duration latency{0};
    Duration acknowledgement{0};
    std::optional<Pace> per_byte;            // empty: this network does not price bytes
    std::optional<Pace> per_billionth_unit;  // empty: … for units

    // The interface that the simulator requires (model.hpp).
    bool prices(Measure measure, Hop /*hop*/) const {
        return (measure == Measure::bytes ? per_byte : per_billionth_unit).has_value();
    }
    Duration message_time(Size size, Hop /*hop*/) const {
        if (size.amount == 0) {
            return latency;
        }
        const Pace& pace = size.measure == Measure::bytes ? *per_byte : *per_billionth_unit;
        return later(Time{latency}, time_for(size.amount, pace)).time_since_epoch();
    }
    Duration acknowledgement_time(Hop /*hop*/) const { return acknowledgement; }
};

// Ranks in nodes, with one uniform network within each node and another, usually slower, between nodes.
//
// Ranks 0 … ranks_per_node-1 are on the first node, and so on. `within` prices a message within a node, `across` any
// other; as on a uniform network, no two transfers disturb each other. A rank sends one message at a time over both.
struct Nodes {
    int ranks_per_node = 1;
    Uniform within;
    Uniform across;

    // The interface that the simulator requires (model.hpp).
    const Uniform& over(Hop hop) const { return hop == Hop::within ? within : across; }
    bool prices(Measure measure, Hop hop) const { return over(hop).prices(measure, hop); }
    Duration message_time(Size size, Hop hop) const { return over(hop).message_time(size, hop); }
    Duration acknowledgement_time(Hop hop) const { return over(hop).acknowledgement_time(hop); }
};

}  // namespace sim::network
