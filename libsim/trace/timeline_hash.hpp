// The timeline hash is one number for a whole timeline; it is equal for every host, run and machine.
//
// It is the SHA-256 of the hashes of the ranks' streams, in the order of ranks and streams; the hash of a stream covers
// its spans in program order, each as kind (1 byte), length of the label (4), label, begin and end in picoseconds (8
// each), little-endian. Cost: about 50 ns per span (docs/benchmarks.md); memory per rank, whatever the number of spans.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/trace/span.hpp"

#include <memory>
#include <span>
#include <string>

namespace sim::trace {

class TimelineHash {
public:
    explicit TimelineHash(int ranks);
    TimelineHash(TimelineHash&&) noexcept;
    TimelineHash& operator=(TimelineHash&&) noexcept;
    ~TimelineHash();

    void add(const Span& span);
    // 64 hexadecimal digits, for the spans so far.
    std::string hex() const;

private:
    struct Digests;
    std::unique_ptr<Digests> digests_;
};

// A sink that adds every span to `hash`, which must outlive it, and then passes it to `next`, if set.
SpanSink hashing(TimelineHash& hash, SpanSink next);

// SHA-256 of some bytes, as 64 hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace sim::trace
