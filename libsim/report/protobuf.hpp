// A Protocol Buffers message, written field by field.
//
// Source: https://protobuf.dev/programming-guides/encoding/. int64 and uint64 are encoded the same.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace sim::report {

// Appends a number as a varint: seven bits per byte, the lowest first.
inline void append_varint(std::string& bytes, std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) {
        bytes += static_cast<char>(value | 0x80U);
    }
    bytes += static_cast<char>(value);
}

class ProtobufMessage {
public:
    void number(std::uint32_t field, std::uint64_t value) {
        varint(field << 3U | 0U);
        varint(value);
    }
    void signed_number(std::uint32_t field, std::int64_t value) { number(field, static_cast<std::uint64_t>(value)); }
    void fixed(std::uint32_t field, std::uint64_t value) {
        varint(field << 3U | 1U);
        for (unsigned shift = 0; shift < 64; shift += 8) {
            bytes_ += static_cast<char>(value >> shift & 0xffU);
        }
    }
    void real(std::uint32_t field, double value) { fixed(field, std::bit_cast<std::uint64_t>(value)); }
    void text(std::uint32_t field, std::string_view value) {
        varint(field << 3U | 2U);
        varint(value.size());
        bytes_ += value;
    }
    void message(std::uint32_t field, const ProtobufMessage& value) { text(field, value.bytes_); }

    const std::string& bytes() const { return bytes_; }

private:
    void varint(std::uint64_t value) { append_varint(bytes_, value); }

    std::string bytes_;
};

}  // namespace sim::report
