#include "libsim/trace/timeline_hash.hpp"

#include "libsim/trace/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace sim::trace {

namespace {

using Context = std::unique_ptr<Sha256>;

std::string hex_of(const Sha256::Digest& digest) {
    std::string text;
    for (const unsigned char byte : digest) {
        text += fmt::format("{:02x}", byte);
    }
    return text;
}

template <class Integer>
unsigned char* put(unsigned char* at, Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
        *at++ = static_cast<unsigned char>(static_cast<std::uint64_t>(value) >> (8 * i));
    }
    return at;
}

}  // namespace

struct TimelineHash::Digests {
    std::vector<std::vector<Context>> ranks;  // by rank and stream
    std::vector<unsigned char> record;
};

TimelineHash::TimelineHash(int ranks) : digests_(std::make_unique<Digests>()) {
    digests_->ranks.resize(static_cast<std::size_t>(ranks));
}
TimelineHash::TimelineHash(TimelineHash&&) noexcept = default;
TimelineHash& TimelineHash::operator=(TimelineHash&&) noexcept = default;
TimelineHash::~TimelineHash() = default;

void TimelineHash::add(const Span& span) {
    // An asynchronous op counts in the order in which the program joined it.
    const auto stream = span.stream == Stream::own ? std::size_t{0} : static_cast<std::size_t>(span.stream);
    std::vector<Context>& streams = digests_->ranks[static_cast<std::size_t>(span.rank)];
    if (stream >= streams.size()) {
        streams.resize(stream + 1);
    }
    Context& context = streams[stream];
    if (!context) {
        context = std::make_unique<Sha256>();
    }
    const std::string& label = *span.label;
    std::vector<unsigned char>& record = digests_->record;
    record.resize(21 + label.size());
    unsigned char* at = put(record.data(), static_cast<std::uint8_t>(span.kind));
    at = put(at, static_cast<std::uint32_t>(label.size()));
    std::memcpy(at, label.data(), label.size());
    at = put(at + label.size(), span.begin.time_since_epoch().count());
    put(at, span.end.time_since_epoch().count());
    context->add(record.data(), record.size());
}

std::string TimelineHash::hex() const {
    Sha256 all;
    for (const std::vector<Context>& streams : digests_->ranks) {
        for (std::size_t stream = 0; stream < std::max<std::size_t>(streams.size(), 1); ++stream) {
            const bool has_spans = stream < streams.size() && streams[stream];
            Sha256 its = has_spans ? *streams[stream] : Sha256();
            const Sha256::Digest digest = its.end();
            all.add(digest.data(), digest.size());
        }
    }
    return hex_of(all.end());
}

SpanSink hashing(TimelineHash& hash, SpanSink next) {
    if (!next) {
        return [&hash](const Span& span) { hash.add(span); };
    }
    return [&hash, next = std::move(next)](const Span& span) {
        hash.add(span);
        next(span);
    };
}

std::string sha256_hex(std::span<const std::byte> bytes) {
    Sha256 all;
    all.add(bytes.data(), bytes.size());
    return hex_of(all.end());
}

}  // namespace sim::trace
