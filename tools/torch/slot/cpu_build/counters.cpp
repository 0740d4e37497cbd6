#include "tools/torch/slot/cpu_build/counters.hpp"

#include <algorithm>

namespace sim::slot {

void Counter::add(std::int64_t amount) {
    current += amount;
    allocated += amount;
    peak = std::max(peak, current);
}

void Counter::take(std::int64_t amount) {
    current -= amount;
    freed += amount;
}

void Counter::change(std::int64_t amount) {
    if (amount > 0) {
        add(amount);
    } else {
        take(-amount);
    }
}

std::array<Counter*, 9> Counters::all() {
    return {&allocation,      &segment,        &active,       &inactive_split,
            &allocated_bytes, &reserved_bytes, &active_bytes, &inactive_split_bytes,
            &requested_bytes};
}

}  // namespace sim::slot
