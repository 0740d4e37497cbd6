#include "libsim/collectives/data_reader.hpp"

#include <algorithm>
#include <vector>

namespace sim {

namespace {

// Chunk `index` of `data`, which is that of `elements` or a copy of it.
template <class Byte>
std::span<Byte> chunk(std::span<Byte> data, const Elements& elements, const Schedule& schedule, int index) {
    if (data.empty()) {
        return {};
    }
    const ChunkRange range = chunk_range(elements.count, schedule.chunks, index);
    return data.subspan(range.begin * elements.element_size, range.size() * elements.element_size);
}

// Adds up in the order of the members, so that all hold bitwise equal results.
void combine_in_order(const Elements& elements, const std::vector<std::vector<std::byte>>& of_members) {
    std::copy(of_members[0].begin(), of_members[0].end(), elements.data.begin());
    for (std::size_t member = 1; member < of_members.size(); ++member) {
        elements.combine(elements.data, of_members[member]);
    }
}

}  // namespace

Tag tag_of(const Group& group, const Schedule& schedule) {
    const auto what = static_cast<std::uint64_t>(schedule.kind) |
                      static_cast<std::uint64_t>(schedule.method.algorithm) << 8U |
                      static_cast<std::uint64_t>(static_cast<std::uint32_t>(packed(schedule.method))) << 16U;
    const std::uint64_t mixed = (GroupHash{}(group) + what) * 0xff51afd7ed558ccdU;
    return Tag{-1 - static_cast<std::int32_t>(mixed >> 34U)};  // 30 bits of it
}

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
    const Tag tag = tag_of(group, schedule);
    const int self = group.index_of(gpu.rank());
    std::vector<std::vector<std::byte>> kept(schedule.sends_input ? static_cast<std::size_t>(schedule.members) : 0);
    std::span<const std::byte> outgoing = elements.data;
    if (schedule.sends_input) {
        std::vector<std::byte>& input = kept[static_cast<std::size_t>(self)];
        input.assign(elements.data.begin(), elements.data.end());
        outgoing = input;
    }
    bool combine_kept = false;
    std::vector<std::byte> arrived;
    for (int number = 0; number < schedule.steps; ++number) {
        const Step step = schedule.step(0, self, number);
        if (step.to >= 0) {
            gpu.send_in_collective(group.rank_at(step.to), chunk(outgoing, elements, schedule, step.send.first), label,
                                   each, tag);
        }
        if (step.from < 0) {
            continue;
        }
        const std::span<std::byte> into = chunk(elements.data, elements, schedule, step.receive.first);
        if (!step.reduce || into.empty()) {
            gpu.receive_in_collective(group.rank_at(step.from), into, label, each, tag);
            continue;
        }
        combine_kept = schedule.sends_input;
        std::vector<std::byte>& came = combine_kept ? kept[static_cast<std::size_t>(step.from)] : arrived;
        came.resize(into.size());
        gpu.receive_in_collective(group.rank_at(step.from), came, label, each, tag);
        if (!combine_kept) {
            elements.combine(into, came);
        }
    }
    if (combine_kept) {
        combine_in_order(elements, kept);
    }
}

}  // namespace sim
