// In a reduce-scatter, member i ends with chunk i of the sum (average, maximum) of all members' arrays.
//
// By default a ring: n-1 steps of one n-th each. Cost, bytes and source: schedules/ring.cpp; other algorithms:
// docs/collectives.md.
// Errors: as all_reduce.hpp.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// With data. Overwrites `data` with partial sums; returns the part of it that is this member's finished chunk, of
// data.size() / n elements (the first members hold one more if that does not divide).
// `size` is what the whole input costs; by default its bytes.
template <NumberRange R>
requires std::ranges::borrowed_range<R>
auto reduce_scatter(GPU& gpu, const Group& group, R&& data, std::optional<Size> size = {},
                    Reduction reduction = Reduction::sum, const AlgorithmConfig& config = Algorithm::ring) {
    const std::span numbers(data);
    const Size cost = cost_of(size, numbers.size_bytes());
    gpu.enter(group, {.kind = CollectiveKind::reduce_scatter,
                      .size = cost,
                      .reduction = reduction,
                      .config = config,
                      .element_size = sizeof numbers[0]});
    carry_out(gpu, group, schedule_of(CollectiveKind::reduce_scatter, config, group.size(), 0), cost, "reduce-scatter",
              elements_of(numbers, reduction));
    const ChunkRange own = chunk_range(numbers.size(), group.size(), group.index_of(gpu.rank()));
    const std::span<std::ranges::range_value_t<R>> mine = numbers.subspan(own.begin, own.size());
    if (reduction == Reduction::average) {
        divide_by(mine, group.size());
    }
    return mine;
}

// By size alone: one op.
inline void reduce_scatter(GPU& gpu, const Group& group, Size size, Reduction reduction = Reduction::sum,
                           const AlgorithmConfig& config = Algorithm::ring) {
    gpu.collective(group,
                   {.kind = CollectiveKind::reduce_scatter, .size = size, .reduction = reduction, .config = config});
}

}  // namespace sim::collectives
