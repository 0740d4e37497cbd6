// Data that members contributed to a collective goes to a rank as a table, followed by the payloads that are in no
// arena.
#pragma once

#include <cstdint>

namespace sim::ranks {

// The table begins with its number of rows, as 64 bits.
struct GatheredRow {
    std::uint64_t bytes = 0;
    std::uint64_t place = 0;  // in the arenas, from 1; 0: after the table, in row order
};

}  // namespace sim::ranks
