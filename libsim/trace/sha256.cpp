#include "libsim/trace/sha256.hpp"

#include <openssl/sha.h>

#include <new>

namespace sim::trace {

namespace {

template <std::size_t size>
SHA256_CTX* state_in(std::array<std::byte, size>& place) {
    static_assert(sizeof(SHA256_CTX) <= size && alignof(SHA256_CTX) <= 8);
    return std::launder(reinterpret_cast<SHA256_CTX*>(place.data()));
}

}  // namespace

// OpenSSL 3 deprecates this interface in favour of EVP.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

Sha256::Sha256() : state_() {
    SHA256_Init(new (state_.data()) SHA256_CTX());
}

void Sha256::add(const void* data, std::size_t size) {
    SHA256_Update(state_in(state_), data, size);
}

Sha256::Digest Sha256::end() {
    Digest digest{};
    SHA256_Final(digest.data(), state_in(state_));
    return digest;
}

#pragma GCC diagnostic pop

}  // namespace sim::trace
