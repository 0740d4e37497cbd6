// In a reduce, the root ends with the sum (average, maximum) of all members' arrays.
//
// The default is a ring: n chunks flow down the chain that begins at the root's right neighbour and ends at the root,
// and each member adds its own. 2 (n-1) steps of one n-th each; every member but the root sends the whole array once.
// Cost and source: schedules/ring.cpp; chunks are summed in the order of that chain. Other algorithms:
// docs/collectives.md.
// Errors: as in all_reduce.hpp; members that name different roots are a mismatch.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// With data. `root` is a rank of `group`; the other members' arrays are overwritten with partial sums. `size` is the
// size to charge for the whole array; default: its bytes.
template <NumberRange R>
void reduce(GPU& gpu, const Group& group, int root, R&& data, std::optional<Size> size = {},
            Reduction reduction = Reduction::sum, const AlgorithmConfig& config = Algorithm::ring) {
    const std::span numbers(data);
    const Size cost = cost_of(size, numbers.size_bytes());
    gpu.enter(group, {.kind = CollectiveKind::reduce,
                      .size = cost,
                      .root = root,
                      .reduction = reduction,
                      .config = config,
                      .element_size = sizeof numbers[0]});
    execute(gpu, group, schedule_of(CollectiveKind::reduce, config, group.size(), group.index_of(root)), cost, "reduce",
            elements_of(numbers, reduction));
    if (reduction == Reduction::average && gpu.rank() == root) {
        divide_by(numbers, group.size());
    }
}

// By size alone: one op.
inline void reduce(GPU& gpu, const Group& group, int root, Size size, Reduction reduction = Reduction::sum,
                   const AlgorithmConfig& config = Algorithm::ring) {
    gpu.collective(
        group, {.kind = CollectiveKind::reduce, .size = size, .root = root, .reduction = reduction, .config = config});
}

}  // namespace sim::collectives
