// In a reduce-scatter, member i ends with chunk i of the sum (average, maximum) of all members' arrays.
//
// The default is a ring: n-1 steps of one n-th each. Cost, bytes and source: schedules/ring.cpp; other algorithms:
// docs/collectives.md.
// Errors: as in all_reduce.hpp.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/namespaces.hpp"

#include <algorithm>
#include <concepts>
#include <ranges>
#include <vector>

namespace sim::collectives {

// With data. Overwrites `data` with partial sums; returns its part with this member's finished chunk, of data.size() /
// n elements (the first members hold one more if that does not divide). `size` is the size to charge for the whole
// input; default: its bytes.
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
    execute(gpu, group, schedule_of(CollectiveKind::reduce_scatter, config, group.size(), 0), cost, "reduce-scatter",
            elements_of(numbers, reduction));
    const std::span<std::ranges::range_value_t<R>> mine = own_chunk(gpu, group, numbers);
    if (reduction == Reduction::average) {
        divide_by(mine, group.size());
    }
    return mine;
}

// With data, from a whole, which stays unchanged, to this member's part, the counterpart of all_gather() from a part to
// the whole. Throws ProgramError for a part of another length.
template <PayloadRange W, NumberRange R>
requires std::same_as<std::ranges::range_value_t<W>, std::ranges::range_value_t<R>>
void reduce_scatter(GPU& gpu, const Group& group, const W& whole, R&& part, std::optional<Size> size = {},
                    Reduction reduction = Reduction::sum, const AlgorithmConfig& config = Algorithm::ring) {
    std::vector<std::ranges::range_value_t<R>> sums(std::ranges::begin(whole), std::ranges::end(whole));
    own_chunk(gpu, group, "reduce-scatter", std::span(sums), std::ranges::size(part));
    std::ranges::copy(reduce_scatter(gpu, group, sums, size, reduction, config), std::ranges::begin(part));
}

// By size alone: one op.
inline void reduce_scatter(GPU& gpu, const Group& group, Size size, Reduction reduction = Reduction::sum,
                           const AlgorithmConfig& config = Algorithm::ring) {
    gpu.collective(group,
                   {.kind = CollectiveKind::reduce_scatter, .size = size, .reduction = reduction, .config = config});
}

}  // namespace sim::collectives
