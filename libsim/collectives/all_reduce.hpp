// All-reduce: every member ends with the sum (average, maximum) of all members' arrays.
//
// Ring: 2 (n-1) steps of one n-th each. Cost, bytes and source: schedules/ring.hpp. A chunk is summed in the order of
// the ring, so all members hold bitwise equal results, which may differ from another order in the last digits.
// Errors: members that disagree on kind, size, type or reduction end the run with a mismatch.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/collectives/schedules/ring.hpp"

namespace sim {

// With data, message by message. `size` is what the whole array costs; by default its bytes.
// Requires: every rank of `group` calls it, with arrays of the same length.
template <NumberRange R>
void all_reduce(GPU& gpu, const Group& group, R&& data, std::optional<Size> size = {},
                Reduction reduction = Reduction::sum) {
    const std::span numbers(data);
    const Size cost = cost_of(size, numbers.size_bytes());
    gpu.enter(
        group,
        {.kind = CollectiveKind::all_reduce, .size = cost, .reduction = reduction, .element_size = sizeof numbers[0]});
    carry_out(gpu, group, ring_all_reduce(group.size()), cost, "all-reduce", elements_of(numbers, reduction));
    if (reduction == Reduction::average) {
        divide_by(numbers, group.size());
    }
}

// By size alone: one op, whatever the group's size. Takes the same time as the messages would.
inline void all_reduce(GPU& gpu, const Group& group, Size size, Reduction reduction = Reduction::sum) {
    gpu.collective(group, {.kind = CollectiveKind::all_reduce, .size = size, .reduction = reduction});
}

}  // namespace sim
