#include "libsim/collectives/data_reader.hpp"

#include <vector>

namespace sim {

namespace {

// Two groups that share a pair of ranks must not take each other's messages, nor two kinds within one group.
Tag tag_of(const Group& group, CollectiveKind kind) {
    const std::uint64_t mixed = (GroupHash{}(group) + static_cast<std::uint64_t>(kind)) * 0xff51afd7ed558ccdU;
    return Tag{-1 - static_cast<std::int32_t>(mixed >> 34U)};  // 30 bits of it
}

std::span<std::byte> chunk(const Elements& elements, const Schedule& schedule, int index) {
    if (elements.data.empty()) {
        return {};
    }
    const ChunkRange range = chunk_range(elements.count, schedule.chunks, index);
    return elements.data.subspan(range.begin * elements.element_size, range.size() * elements.element_size);
}

}  // namespace

ChunkRange chunk_range(std::size_t count, int chunks, int index) {
    const auto parts = static_cast<std::size_t>(chunks);
    const auto i = static_cast<std::size_t>(index);
    const std::size_t share = count / parts;
    const std::size_t longer = count % parts;  // the first chunks hold one element more
    const auto begin = [&](std::size_t at) { return at * share + (at < longer ? at : longer); };
    return {begin(i), begin(i + 1)};
}

void carry_out(GPU& gpu, const Group& group, const Schedule& schedule, Size size, std::string_view label,
               const Elements& elements) {
    const Size each = ceil_div(size, schedule.chunks);
    const Tag tag = tag_of(group, schedule.kind);
    const int self = group.index_of(gpu.rank());
    std::vector<std::byte> arrived;
    for (int number = 0; number < schedule.steps; ++number) {
        const Step step = schedule.step(self, number);
        if (step.to >= 0) {
            gpu.send_in_collective(group.rank_at(step.to), chunk(elements, schedule, step.send_chunk), label, each,
                                   tag);
        }
        if (step.from < 0) {
            continue;
        }
        const std::span<std::byte> into = chunk(elements, schedule, step.receive_chunk);
        if (!step.reduce || into.empty()) {
            gpu.receive_in_collective(group.rank_at(step.from), into, label, each, tag);
            continue;
        }
        arrived.resize(into.size());
        gpu.receive_in_collective(group.rank_at(step.from), arrived, label, each, tag);
        elements.combine(into, arrived);
    }
}

}  // namespace sim
