// This header defines the two ends of a ByteRing. Each end keeps its own position privately and trusts only the
// distance it has checked.
#pragma once

#include "ranks/process/shared_memory.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace sim::ranks {

class StreamWriter {
public:
    explicit StreamWriter(ByteRing& ring) : ring_(&ring) {}

    // Writes as much as fits; returns how much that was.
    std::size_t write(std::span<const std::byte> data) {
        const std::uint64_t used = position_ - ring_->read.load(std::memory_order_acquire);
        const std::uint64_t room = used <= stream_bytes ? stream_bytes - used : 0;
        const std::size_t count = std::min<std::size_t>(data.size(), room);
        for (std::size_t done = 0; done < count;) {
            const std::size_t at = (position_ + done) % stream_bytes;
            const std::size_t piece = std::min(count - done, stream_bytes - at);
            std::memcpy(ring_->bytes.data() + at, data.data() + done, piece);
            done += piece;
        }
        position_ += count;
        ring_->written.store(position_, std::memory_order_release);
        return count;
    }

private:
    ByteRing* ring_;
    std::uint64_t position_ = 0;
};

class StreamReader {
public:
    explicit StreamReader(ByteRing& ring) : ring_(&ring) {}

    // More than stream_bytes means that the other end wrote nonsense.
    std::uint64_t available() const { return ring_->written.load(std::memory_order_acquire) - position_; }

    // Reads the available bytes, up to data.size(). Requires: available() <= stream_bytes.
    std::size_t read(std::span<std::byte> data) {
        const std::size_t count =
            std::min<std::size_t>(data.size(), std::min<std::uint64_t>(available(), stream_bytes));
        for (std::size_t done = 0; done < count;) {
            const std::size_t at = (position_ + done) % stream_bytes;
            const std::size_t piece = std::min(count - done, stream_bytes - at);
            std::memcpy(data.data() + done, ring_->bytes.data() + at, piece);
            done += piece;
        }
        position_ += count;
        ring_->read.store(position_, std::memory_order_release);
        return count;
    }

private:
    ByteRing* ring_;
    std::uint64_t position_ = 0;
};

}  // namespace sim::ranks
