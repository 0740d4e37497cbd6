#include "libsim/report/page/columns.hpp"

#include "libsim/check.hpp"

#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>

namespace sim::report {

namespace {

void append(std::string& bytes, std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    std::uint64_t rest = (bits << 1U) ^ (number < 0 ? ~std::uint64_t{0} : 0);
    while (rest >= 0x80) {
        bytes.push_back(static_cast<char>(0x80U | (rest & 0x7fU)));
        rest >>= 7U;
    }
    bytes.push_back(static_cast<char>(rest));
}

}  // namespace

void Columns::add(std::string_view name, std::span<const std::int64_t> numbers, Written written) {
    directory_.push_back({std::string(name), numbers.size(), written});
    std::int64_t before = 0;
    for (const std::int64_t number : numbers) {
        append(bytes_, number - before);
        before = written == Written::differences ? number : 0;
    }
}

std::string Columns::compressed() const {
    uLongf size = compressBound(bytes_.size());
    std::string packed(size, '\0');
    const int code = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes_.data()), bytes_.size(), Z_DEFAULT_COMPRESSION);
    check(code == Z_OK, "zlib cannot compress a page's columns");
    packed.resize(size);
    return packed;
}

std::string base64(std::string_view bytes) {
    constexpr std::size_t at_once = 3U << 20U;  // a multiple of three: base64 pads only at the end
    std::string text;
    text.reserve(bytes.size() / 3 * 4 + 8);
    for (std::size_t at = 0; at < bytes.size(); at += at_once) {
        const std::string_view part = bytes.substr(at, at_once);
        std::string coded(part.size() / 3 * 4 + 5, '\0');
        const int length =
            EVP_EncodeBlock(reinterpret_cast<unsigned char*>(coded.data()),
                            reinterpret_cast<const unsigned char*>(part.data()), static_cast<int>(part.size()));
        text.append(coded, 0, static_cast<std::size_t>(length));
    }
    return text;
}

}  // namespace sim::report
