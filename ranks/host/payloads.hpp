// This store holds payloads that were sent and not yet received. Each source numbers its own from 0.
//
// A host may leave long payloads where their sender put them; then the store keeps their location.
#pragma once

#include "libsim/check.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace sim::ranks {

// The location of a payload: in the sender's part of the memory that its host shows to all ranks.
struct Block {
    int rank = -1;  // the owner of that part
    std::size_t offset = 0;
    std::size_t size = 0;
};

struct Payload {
    std::vector<std::byte> bytes = {};
    std::optional<Block> block = std::nullopt;  // replaces the bytes
    std::size_t size() const { return block ? block->size : bytes.size(); }
};

class Payloads {
public:
    explicit Payloads(int ranks) : sources_(static_cast<std::size_t>(ranks)) {}

    void put(int source, Payload&& payload) {
        Source& from = sources_[static_cast<std::size_t>(source)];
        from.held += cost_of(payload);
        held_ += cost_of(payload);
        from.waiting.emplace(from.sent++, Held{std::move(payload)});
    }
    // Bytes waiting to be received, including their overhead: in total, and for one source.
    std::size_t held() const { return held_; }
    std::size_t held(int source) const { return sources_[static_cast<std::size_t>(source)].held; }

    Payload take(int source, std::uint32_t number) {
        Payload payload = std::move(find(source, number).payload);
        Source& from = sources_[static_cast<std::size_t>(source)];
        from.waiting.erase(number);
        from.held -= cost_of(payload);
        held_ -= cost_of(payload);
        return payload;
    }

    // A payload that several ranks read: it stays until all of them have returned it.
    const Payload& lend(int source, std::uint32_t number) { return find(source, number).payload; }
    // Returns the payload to the store's caller with the last of its `readers`.
    std::optional<Payload> give_back(int source, std::uint32_t number, int readers) {
        return ++find(source, number).given_back < readers ? std::nullopt : std::optional(take(source, number));
    }

private:
    struct Held {
        Payload payload;
        int given_back = 0;
    };
    struct Source {
        std::map<std::uint32_t, Held> waiting;
        std::uint32_t sent = 0;
        std::size_t held = 0;
    };

    static std::size_t cost_of(const Payload& payload) {
        constexpr std::size_t of_keeping = 128;
        return payload.size() + of_keeping;
    }

    Held& find(int source, std::uint32_t number) {
        auto& waiting = sources_[static_cast<std::size_t>(source)].waiting;
        const auto found = waiting.find(number);
        check(found != waiting.end(), "rank {} has no payload {}", source, number);
        return found->second;
    }

    std::vector<Source> sources_;
    std::size_t held_ = 0;
};

}  // namespace sim::ranks
