#include "tools/labs/desk/seal.hpp"

#include "libsim/trace/sha256.hpp"
#include "libsim/trace/timeline_hash.hpp"

#include <array>
#include <span>

namespace sim::labs {

namespace {

constexpr std::size_t block = 64;  // block size of SHA-256 in bytes
constexpr std::string_view key = "ndsim: a desk of a lab, version 1";

std::array<unsigned char, block> padded_key(unsigned char pad) {
    std::array<unsigned char, block> padded{};
    padded.fill(pad);
    for (std::size_t i = 0; i < key.size(); ++i) {
        padded[i] = static_cast<unsigned char>(padded[i] ^ static_cast<unsigned char>(key[i]));
    }
    return padded;
}

}  // namespace

std::string digest_of(std::string_view text) {
    return trace::sha256_hex(std::as_bytes(std::span(text.data(), text.size())));
}

// HMAC, RFC 2104.
std::string seal_of(std::string_view text) {
    const auto inside = padded_key(0x36);
    const auto outside = padded_key(0x5c);
    trace::Sha256 inner;
    inner.add(inside.data(), inside.size());
    inner.add(text.data(), text.size());
    const trace::Sha256::Digest digest = inner.end();
    std::string whole(outside.begin(), outside.end());
    whole.append(digest.begin(), digest.end());
    return digest_of(whole);
}

}  // namespace sim::labs
