// In an all-reduce, every member ends with the sum (average, maximum) of all members' arrays.
//
// Algorithm, n members, S bytes, on a uniform network with latency L (both ends together) and bandwidth B:
//   ring               2 (n-1) (L + ceil(S/n) / B)   schedules/ring.cpp: the fewest bytes
//   direct               (n-1) (L + S / B)           schedules/direct.cpp: the fewest steps; for small S
//   parameter_server         n (L + S / B)           schedules/parameter_server.cpp: member 0 is the bottleneck
// Trees, halving and doubling, Bruck's pattern, bidirectional and hierarchical rings: docs/collectives.md.
// All members get bitwise equal results. Direct and the parameter server sum in member order, the others in the order
// of their steps; results may differ between algorithms in the last digits. With data, `direct` holds all n arrays at
// once. Errors: members that disagree on kind, size, type, reduction or algorithm end the run with a mismatch.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// With data, message by message. `size` is the size to charge for the whole array; default: its bytes.
// Requires: every rank of `group` calls it, with arrays of the same length.
template <NumberRange R>
void all_reduce(GPU& gpu, const Group& group, R&& data, std::optional<Size> size = {},
                Reduction reduction = Reduction::sum, const AlgorithmConfig& config = {}) {
    const std::span numbers(data);
    const Size cost = cost_of(size, numbers.size_bytes());
    gpu.enter(group, {.kind = CollectiveKind::all_reduce,
                      .size = cost,
                      .reduction = reduction,
                      .config = config,
                      .element_size = sizeof numbers[0]});
    execute(gpu, group, schedule_of(CollectiveKind::all_reduce, config, group.size(), 0), cost, "all-reduce",
            elements_of(numbers, reduction));
    if (reduction == Reduction::average) {
        divide_by(numbers, group.size());
    }
}

// By size alone: one op, whatever the group's size. Takes the same time as the messages would.
inline void all_reduce(GPU& gpu, const Group& group, Size size, Reduction reduction = Reduction::sum,
                       const AlgorithmConfig& config = {}) {
    gpu.collective(group, {.kind = CollectiveKind::all_reduce, .size = size, .reduction = reduction, .config = config});
}

}  // namespace sim::collectives
