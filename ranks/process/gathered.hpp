// What members brought to a collective goes to a rank as a table, and behind it the payloads that lie in no arena.
#pragma once

#include <cstdint>

namespace sim::ranks {

// The table begins with how many rows it has, as 64 bits.
struct GatheredRow {
    std::uint64_t bytes = 0;
    std::uint64_t place = 0;  // in the arenas, from 1; 0: behind the table, in the order of rows
};

}  // namespace sim::ranks
