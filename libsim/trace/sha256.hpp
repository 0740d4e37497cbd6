// SHA-256 of bytes that come one by one. It allocates nothing and cannot fail, unlike OpenSSL's EVP, which without
// memory ends the program.
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
    // Call once, at the end.
    Digest end();

private:
    alignas(8) std::array<std::byte, 112> state_;  // OpenSSL's, whose headers are none of ours
};

}  // namespace sim::trace
