// This class computes SHA-256 incrementally. It allocates nothing and cannot fail, unlike OpenSSL's EVP, which ends the
// program when memory runs out.
#pragma once

#include "libsim/namespaces.hpp"

#include <array>
#include <cstddef>

namespace sim::trace {

class Sha256 {
public:
    using Digest = std::array<unsigned char, 32>;

    Sha256();
    void add(const void* data, std::size_t size);
    // Must be called once, at the end.
    Digest end();

private:
    alignas(8) std::array<std::byte, 112> state_;  // OpenSSL's state, opaque so that we need not include its headers
};

}  // namespace sim::trace
