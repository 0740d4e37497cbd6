// In an all-to-all, chunk j of member i becomes chunk i of member j; expert parallelism routes tokens with it.
//
// The default is direct: n-1 steps of one n-th each; in step k every member sends to the one k+1 places after it and
// receives from the one k+1 places before. Cost, bytes and source: schedules/direct.cpp; other algorithms:
// docs/collectives.md. Errors: as in all_reduce.hpp; ProgramError for an array that does not split evenly over the
// members.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/namespaces.hpp"

#include <algorithm>
#include <vector>

namespace sim::collectives {

// Throws ProgramError unless `elements` is a multiple of `members`: exchanged chunks must have equal lengths.
void check_even_chunks(std::size_t elements, int members);
// Throws ProgramError unless there is one part for each member.
void check_parts(std::size_t parts, int members);

// With data, in place; a copy of the input is kept until the end. `size` is the size to charge for one member's whole
// array, including its own chunk; default: its bytes.
template <NumberRange R>
void all_to_all(GPU& gpu, const Group& group, R&& data, std::optional<Size> size = {},
                const AlgorithmConfig& config = Algorithm::direct) {
    const std::span numbers(data);
    check_even_chunks(numbers.size(), group.size());
    const Size cost = cost_of(size, numbers.size_bytes());
    gpu.enter(group,
              {.kind = CollectiveKind::all_to_all, .size = cost, .config = config, .element_size = sizeof numbers[0]});
    execute(gpu, group, schedule_of(CollectiveKind::all_to_all, config, group.size(), 0), cost, "all-to-all",
            elements_of(numbers, Reduction::sum));
}

// By size alone: one op. `size` is that of one member's whole array.
inline void all_to_all(GPU& gpu, const Group& group, Size size, const AlgorithmConfig& config = Algorithm::direct) {
    gpu.collective(group, {.kind = CollectiveKind::all_to_all, .size = size, .config = config});
}

// Uses the direct algorithm. Parts may have any length, or be empty: parts[i] goes to member i; returns the part
// received from each member, and the caller's own part unchanged. Members need not know each other's lengths. Every
// message is charged ceil(total / n), whatever it carries: the price of balanced routing of `total` per member, so that
// all ranks, and the same call by size alone, pay the same; the actual parts may be as uneven as the data.
template <Payload T>
std::vector<std::vector<T>> all_to_all_v(GPU& gpu, const Group& group, std::vector<std::vector<T>> parts, Size total) {
    check_parts(parts.size(), group.size());
    constexpr std::size_t largest_element_size = 255;  // the largest that a mismatch can report
    gpu.enter(
        group,
        {.kind = CollectiveKind::all_to_all, .size = total, .element_size = std::min(sizeof(T), largest_element_size)});
    const Schedule schedule = schedule_of(CollectiveKind::all_to_all, Algorithm::direct, group.size(), 0);
    const Size each = ceil_div(total, group.size());
    const Tag tag = tag_of(group, schedule);
    const int self = group.index_of(gpu.rank());
    std::vector<std::vector<T>> came(parts.size());
    for (int number = 0; number < schedule.steps; ++number) {
        const Step step = schedule.step(0, self, number);
        const auto& part = parts[static_cast<std::size_t>(step.to)];
        gpu.send_in_collective(group.rank_at(step.to), std::as_bytes(std::span(part)), "all-to-all", each, tag);
        came[static_cast<std::size_t>(step.from)] =
            gpu.receive_in_collective<T>(group.rank_at(step.from), "all-to-all", each, tag);
    }
    came[static_cast<std::size_t>(self)] = std::move(parts[static_cast<std::size_t>(self)]);
    return came;
}

}  // namespace sim::collectives
