#include "ranks/process/arena.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <new>
#include <stdexcept>
#include <utility>

namespace sim::ranks {

namespace {

constexpr std::size_t most_each = 256U << 20U;
constexpr std::size_t most_in_all = std::size_t{256} << 30U;
constexpr std::size_t block_multiple = 4096;  // so that no two blocks share a page

}  // namespace

std::size_t arena_bytes(int ranks, std::size_t most) {
    // A trial: the seal needs Linux 5.1, and without it every payload takes the stream.
    if (!make_arena(block_multiple)) {
        return 0;
    }
    return std::min({most, most_each, most_in_all / static_cast<std::size_t>(ranks)}) / block_multiple * block_multiple;
}

std::optional<NewArena> make_arena(std::size_t bytes) {
    NewArena made{.descriptor = memory_of(bytes), .mapping = {}};
    if (made.descriptor) {
        // Mapped before it is sealed: the seal forbids all further writable mappings, and leaves this one.
        made.mapping = map_memory(made.descriptor, bytes, Access::write);
    }
    if (!is_mapped(made.mapping) || !seal(made.descriptor, Writers::those_mapped)) {
        return std::nullopt;
    }
    return made;
}

Arenas::Arenas(int ranks, std::size_t bytes_each, Lines& lines)
    : places_(bytes_each), lines_(&lines), all_(static_cast<std::size_t>(ranks)) {}

void Arenas::given(int rank, int descriptor) {
    Descriptor memory(descriptor);
    // Memory that is not sealed could shrink under the supervisor's feet, and reading it would then end the run.
    if (!of(rank).memory && is_sealed(memory, places_.bytes_each())) {
        of(rank).memory = std::move(memory);
    }
}

bool Arenas::has(int rank) {
    if (!of(rank).memory) {
        lines_->hear(rank, [this](int from, int descriptor) { given(from, descriptor); });
    }
    return static_cast<bool>(of(rank).memory);
}

bool Arenas::lend(int to, int of_rank) {
    std::vector<bool>& lent_to = of(of_rank).lent_to;
    lent_to.resize(all_.size());
    const auto reader = static_cast<std::size_t>(to);
    if (!lent_to[reader]) {
        lent_to[reader] = to == of_rank || lines_->lend(to, of_rank, of(of_rank).memory.number());
    }
    return lent_to[reader];
}

std::span<const std::byte> Arenas::bytes(const Block& block) {
    Arena& arena = of(block.rank);
    if (!is_mapped(arena.mapping)) {
        arena.mapping = map_memory(arena.memory, places_.bytes_each(), Access::read);
    }
    if (!is_mapped(arena.mapping)) {
        throw std::bad_alloc();
    }
    return {object_in<const std::byte>(arena.mapping) + block.offset, block.size};
}

RankArenas::RankArenas(int rank, std::size_t bytes_each, LineEnd line)
    : rank_(rank), places_(bytes_each), line_(line) {}

std::byte* RankArenas::own() {
    if (!asked_) {
        asked_ = true;
        if (std::optional<NewArena> made = make_arena(places_.bytes_each());
            made && line_.give(made->descriptor.number())) {
            own_ = std::move(made->mapping);
        }
    }
    return object_in<std::byte>(own_);
}

const std::byte* RankArenas::at(std::size_t place) {
    const int rank = places_.rank_of(place);
    if (rank == rank_) {
        return own() + places_.offset_of(place);
    }
    const auto known = others_.find(rank);
    const Mapping& there = known != others_.end() ? known->second : await(rank);
    return object_in<const std::byte>(there) + places_.offset_of(place);
}

const Mapping& RankArenas::await(int rank) {
    for (;;) {
        const std::optional<LineEnd::Lent> lent = line_.next_lent();
        if (!lent) {
            throw std::runtime_error(
                fmt::format("rank {} cannot map data of rank {}: its line to the supervisor is closed", rank_, rank));
        }
        const Descriptor memory(lent->descriptor);
        if (!memory) {
            throw Refused(
                fmt::format("it cannot open the data of rank {}: {} (see ulimit -n)", rank, std::strerror(EMFILE)));
        }
        Mapping mapping = map_memory(memory, places_.bytes_each(), Access::read);
        if (!is_mapped(mapping)) {
            throw Refused(fmt::format("it cannot map the data of rank {}: {}{}", rank, std::strerror(errno),
                                      errno == ENOMEM ? " (see ulimit -v)" : ""));
        }
        // Descriptors come in the order in which they were lent, so the one that is awaited may be behind others.
        const auto kept = others_.emplace(lent->of, std::move(mapping)).first;
        if (lent->of == rank) {
            return kept->second;
        }
    }
}

std::optional<std::size_t> ArenaBlocks::allocate(std::size_t size) {
    const std::size_t wanted = (size + block_multiple - 1) / block_multiple * block_multiple;
    const auto fits = [wanted](const auto& block) { return block.second >= wanted; };
    const auto found = std::find_if(free_.begin(), free_.end(), fits);
    if (found == free_.end()) {
        return std::nullopt;
    }
    const auto [offset, room] = *found;
    free_.erase(found);
    if (room > wanted) {
        free_.emplace(offset + wanted, room - wanted);
    }
    used_.emplace(offset, wanted);
    return offset;
}

void ArenaBlocks::release(std::size_t offset) {
    const auto used = used_.find(offset);
    if (used == used_.end()) {
        return;
    }
    auto [begin, size] = *used;
    used_.erase(used);
    const auto behind = free_.lower_bound(begin);
    if (behind != free_.end() && begin + size == behind->first) {
        size += behind->second;
        free_.erase(behind);
    }
    const auto before = free_.lower_bound(begin);
    if (before != free_.begin()) {
        const auto previous = std::prev(before);
        if (previous->first + previous->second == begin) {
            previous->second += size;
            return;
        }
    }
    free_.emplace(begin, size);
}

}  // namespace sim::ranks
