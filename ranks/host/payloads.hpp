// This store holds payloads that were sent and not yet received. Each source numbers its own from 0.
#pragma once

#include "libsim/check.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace sim::ranks {

class Payloads {
public:
    explicit Payloads(int ranks) : sources_(static_cast<std::size_t>(ranks)) {}

    void put(int source, std::vector<std::byte> payload) {
        Source& from = sources_[static_cast<std::size_t>(source)];
        from.waiting.emplace(from.sent++, std::move(payload));
    }

    std::vector<std::byte> take(int source, std::uint32_t number) {
        Source& from = sources_[static_cast<std::size_t>(source)];
        const auto found = from.waiting.find(number);
        check(found != from.waiting.end(), "rank {} has no payload {}", source, number);
        std::vector<std::byte> payload = std::move(found->second);
        from.waiting.erase(found);
        return payload;
    }

private:
    struct Source {
        std::map<std::uint32_t, std::vector<std::byte>> waiting;
        std::uint32_t sent = 0;
    };
    std::vector<Source> sources_;
};

}  // namespace sim::ranks
