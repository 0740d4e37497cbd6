// This store holds payloads that were sent and not yet received. Each source numbers its own from 0.
//
// A host may keep long payloads where their sender put them; then the store knows where.
#pragma once

#include "libsim/check.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace sim::ranks {

// Where a sender put a payload: in its part of what its host gives all ranks to see.
struct Block {
    int rank = -1;  // whose part
    std::size_t offset = 0;
    std::size_t size = 0;
};

struct Payload {
    std::vector<std::byte> bytes = {};
    std::optional<Block> block = std::nullopt;  // in place of them
    std::size_t size() const { return block ? block->size : bytes.size(); }
};

class Payloads {
public:
    explicit Payloads(int ranks) : sources_(static_cast<std::size_t>(ranks)) {}

    void put(int source, Payload payload) {
        Source& from = sources_[static_cast<std::size_t>(source)];
        from.waiting.emplace(from.sent++, std::move(payload));
    }

    Payload take(int source, std::uint32_t number) {
        Source& from = sources_[static_cast<std::size_t>(source)];
        const auto found = from.waiting.find(number);
        check(found != from.waiting.end(), "rank {} has no payload {}", source, number);
        Payload payload = std::move(found->second);
        from.waiting.erase(found);
        return payload;
    }

private:
    struct Source {
        std::map<std::uint32_t, Payload> waiting;
        std::uint32_t sent = 0;
    };
    std::vector<Source> sources_;
};

}  // namespace sim::ranks
