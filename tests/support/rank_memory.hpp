// A rank's memory as if the rank had written it, and the supervisor's verdict on it.
#pragma once

#include "ranks/process/inbox.hpp"

#include <memory>
#include <string>

namespace sim::test {

// The memory of rank 0 of two.
struct WrittenMemory {
    ranks::LaunchOptions options{.ranks = 2};
    ranks::Run run{options, kernel::Order::any};
    std::unique_ptr<ranks::RankMemory> memory = std::make_unique<ranks::RankMemory>();
    ranks::StreamWriter payloads{memory->out};
    ranks::Lines lines{2};
    std::size_t room = ranks::arena_bytes(2, SIZE_MAX);
    ranks::Arenas arenas{2, room, lines};
    ranks::NewArena own = ranks::make_arena(room).value();
    ranks::Inbox inbox{0, *memory, arenas, run};

    WrittenMemory() {
        lines.open(0);
        arenas.given(0, own.descriptor.release());
    }

    std::byte* arena() const { return ranks::object_in<std::byte>(own.mapping); }
    // Returns the complaint about the op, or nothing if it was taken.
    std::string complaint(const Op& op) {
        const std::uint64_t at = memory->ops_written;
        memory->ops[at % ranks::op_slots] = op;
        memory->ops_written = at + 1;
        return complaint();
    }
    // The same for everything written so far.
    std::string complaint() {
        try {
            inbox.fetch();
        } catch (const ranks::Inbox::Violation& violation) {
            return violation.what();
        }
        return "";
    }
};

}  // namespace sim::test
