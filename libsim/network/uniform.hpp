// The uniform network connects every pair of ranks alike, and no two transfers disturb each other.
//
//   sender    busy for  latency + size * pace        from the later of its own time and the end of its last send
//   receiver  busy for  acknowledgement              from the later of its own time and the end of the send
//
// A message of the `gpu-py` profile costs the sender 0.05 s + 0.01 s per unit and the receiver 0.05 s more.
// Source: GPU.send and GPU.receive of the original Python simulator.
#pragma once

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
    Duration message_time(Size size, Hop hop) const;
    Duration acknowledgement_time(Hop /*hop*/) const { return acknowledgement; }
};

}  // namespace sim::network
