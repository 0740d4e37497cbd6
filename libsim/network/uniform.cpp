#include "libsim/network/uniform.hpp"

namespace sim::network {

Duration Uniform::message_time(Size size, Hop /*hop*/) const {
    if (size.amount == 0) {
        return latency;
    }
    const Pace& pace = size.measure == Measure::bytes ? *per_byte : *per_billionth_unit;
    return later(Time{latency}, time_for(size.amount, pace)).time_since_epoch();
}

}  // namespace sim::network
