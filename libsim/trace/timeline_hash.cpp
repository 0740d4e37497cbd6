#include "libsim/trace/timeline_hash.hpp"

#include "libsim/check.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace sim::trace {

namespace {

using Digest = std::array<unsigned char, 32>;

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

Context begin() {
    Context context(EVP_MD_CTX_new());
    check(context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1, "SHA-256 cannot begin");
    return context;
}

void update(const Context& context, const void* data, std::size_t size) {
    check(EVP_DigestUpdate(context.get(), data, size) == 1, "SHA-256 cannot go on");
}

Digest end(const Context& context) {
    Digest digest{};
    check(EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1, "SHA-256 cannot end");
    return digest;
}

std::string hex_of(const Digest& digest) {
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
    // An asynchronous op comes in the order in which the program joined it.
    const auto stream = span.stream == Stream::own ? std::size_t{0} : static_cast<std::size_t>(span.stream);
    std::vector<Context>& streams = digests_->ranks[static_cast<std::size_t>(span.rank)];
    if (stream >= streams.size()) {
        streams.resize(stream + 1);
    }
    Context& context = streams[stream];
    if (!context) {
        context = begin();
    }
    const std::string& label = *span.label;
    std::vector<unsigned char>& record = digests_->record;
    record.resize(21 + label.size());
    unsigned char* at = put(record.data(), static_cast<std::uint8_t>(span.kind));
    at = put(at, static_cast<std::uint32_t>(label.size()));
    std::memcpy(at, label.data(), label.size());
    at = put(at + label.size(), span.begin.time_since_epoch().count());
    put(at, span.end.time_since_epoch().count());
    update(context, record.data(), record.size());
}

std::string TimelineHash::hex() {
    const Context all = begin();
    for (std::vector<Context>& streams : digests_->ranks) {
        streams.resize(std::max<std::size_t>(streams.size(), 1));
        for (Context& stream : streams) {
            if (!stream) {
                stream = begin();
            }
            const Digest digest = end(stream);
            update(all, digest.data(), digest.size());
        }
    }
    return hex_of(end(all));
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
    const Context context = begin();
    update(context, bytes.data(), bytes.size());
    return hex_of(end(context));
}

}  // namespace sim::trace
