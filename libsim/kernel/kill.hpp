// A rank that is killed at a simulated time.
#pragma once

#include "libsim/units.hpp"

namespace sim::kernel {

// A rank that dies on purpose: at the first op that it would begin at this simulated time or later, which it does not
// begin. All others go on as far as they can without it. One that has finished by then lives.
struct Kill {
    int rank = 0;
    Time at;
};

}  // namespace sim::kernel
