// Each member brings its part of the array beside the collective and, once all have come, takes the parts of all and
// combines them itself, in the order of the group. So every member gets the same bits, additions run in parallel, and
// the supervisor never looks at data.
#include "libsim/collectives/whole.hpp"

#include "libsim/collectives/all_to_all.hpp"
#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::collectives {

namespace {

using Brought = std::span<const std::byte>;

// The part of a member's array.
enum class Part : std::uint8_t { nothing, all, own_chunk };

struct Flow {
    Part brings;
    Part results;
};

Flow flow_of(CollectiveKind kind, bool is_root) {
    const Part at_root = is_root ? Part::all : Part::nothing;
    switch (kind) {
        case CollectiveKind::barrier: return {Part::nothing, Part::nothing};
        case CollectiveKind::broadcast: return {at_root, is_root ? Part::nothing : Part::all};
        case CollectiveKind::scatter: return {at_root, is_root ? Part::nothing : Part::own_chunk};
        case CollectiveKind::all_gather: return {Part::own_chunk, Part::all};
        case CollectiveKind::gather: return {Part::own_chunk, at_root};
        case CollectiveKind::reduce: return {Part::all, at_root};
        case CollectiveKind::reduce_scatter: return {Part::all, Part::own_chunk};
        case CollectiveKind::all_reduce:
        case CollectiveKind::all_to_all: return {Part::all, Part::all};
    }
    return {};
}

bool reduces(CollectiveKind kind) {
    return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce ||
           kind == CollectiveKind::reduce_scatter;
}

// Byte ranges of the chunks of an array.
class Chunks {
public:
    Chunks(const Elements& elements, int members) : elements_(&elements), members_(members) {}

    ChunkRange of(int index) const {
        const ChunkRange chunk = chunk_range(elements_->count, members_, index);
        return {chunk.begin * elements_->element_size, chunk.end * elements_->element_size};
    }
    ChunkRange part(Part part, int index) const {
        return part == Part::own_chunk ? of(index)
                                       : ChunkRange{0, part == Part::all ? elements_->data.size() : std::size_t{0}};
    }

private:
    const Elements* elements_;
    int members_;
};

// The bytes at `range` of a contributed array.
Brought at(Brought brought, const ChunkRange& range) {
    return brought.subspan(range.begin, range.size());
}

void reduce_into(const Elements& elements, const ChunkRange& result, const std::vector<Brought>& brought) {
    const std::span<std::byte> into = elements.data.subspan(result.begin, result.size());
    std::ranges::copy(at(brought.front(), result), into.begin());
    for (std::size_t member = 1; member < brought.size(); ++member) {
        elements.combine(into, at(brought[member], result));
    }
}

void move_into(CollectiveKind kind, const Elements& elements, const Chunks& chunks, int self, const ChunkRange& result,
               const std::vector<Brought>& brought) {
    const auto put = [&elements](Brought bytes, const ChunkRange& range) {
        std::ranges::copy(bytes, elements.data.subspan(range.begin).begin());
    };
    for (int member = 0; member < static_cast<int>(brought.size()); ++member) {
        const Brought bytes = brought[static_cast<std::size_t>(member)];
        if (bytes.empty()) {
            continue;
        }
        switch (kind) {
            case CollectiveKind::broadcast:
            case CollectiveKind::scatter: put(at(bytes, result), result); break;
            case CollectiveKind::all_to_all: put(at(bytes, chunks.of(self)), chunks.of(member)); break;
            default: put(bytes, chunks.of(member));
        }
    }
}

// Ensures that nothing is read or written beyond an array, whatever the others bring.
void check_lengths(const GPU& gpu, const Group& group, const Collective& what, const Chunks& chunks,
                   const std::vector<Brought>& brought) {
    for (int member = 0; member < group.size(); ++member) {
        const int rank = group.rank_at(member);
        const std::size_t expected = chunks.part(flow_of(what.kind, rank == what.root).brings, member).size();
        const std::size_t found = brought[static_cast<std::size_t>(member)].size();
        if (found != expected) {
            throw ProgramError(
                fmt::format("rank {}: {}: rank {} brings {} B, where {} B are expected: the arrays of "
                            "all members must have one length",
                            gpu.rank(), name_of(what.kind), rank, found, expected));
        }
    }
}

}  // namespace

ChunkRange carry_out_whole(GPU& gpu, const Group& group, const Collective& what, const Elements& elements) {
    if (what.kind == CollectiveKind::all_to_all) {
        check_even_chunks(elements.count, group.size());
    }
    const int self = group.index_of(gpu.rank());
    if (self < 0) {
        gpu.collective(group, what);  // throws
    }
    const Chunks chunks(elements, group.size());
    const Flow flow = flow_of(what.kind, gpu.rank() == what.root);
    const ChunkRange result = chunks.part(flow.results, self);
    const ChunkRange in_elements{result.begin / elements.element_size, result.end / elements.element_size};
    if (group.size() == 1) {  // nobody else could take its contribution
        gpu.collective(group, what);
        return in_elements;
    }
    const bool takes = flow.results != Part::nothing;
    const BroughtData brought = gpu.bring(at(elements.data, chunks.part(flow.brings, self)), takes);
    gpu.collective(group, what);
    if (!takes) {
        return in_elements;
    }
    const std::vector<Brought> all = gpu.take(brought);
    if (all.empty()) {
        return in_elements;  // the run is over, and this call comes from a destructor
    }
    check_lengths(gpu, group, what, chunks, all);
    if (elements.data.empty()) {
        return in_elements;
    }
    if (reduces(what.kind)) {
        reduce_into(elements, result, all);
    } else {
        move_into(what.kind, elements, chunks, self, result, all);
    }
    return in_elements;
}

}  // namespace sim::collectives
