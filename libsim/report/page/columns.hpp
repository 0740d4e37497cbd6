// Columns packs lists of whole numbers for a page: plain or as differences, small ones in few bytes, compressed.
//
// A number n is written as the unsigned 2n, or -2n - 1 if it is negative, in groups of seven bits, the lowest first;
// the eighth bit says that more follow. Source: Protocol Buffers, "sint64". The columns follow each other without gaps,
// in zlib's format (RFC 1950), in base64.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::report {

class Columns {
public:
    enum class Written : std::uint8_t { plain, differences };
    struct Column {
        std::string name;
        std::size_t count = 0;
        Written written = Written::plain;
    };

    void add(std::string_view name, std::span<const std::int64_t> numbers, Written written = Written::plain);

    const std::vector<Column>& directory() const { return directory_; }
    const std::string& bytes() const { return bytes_; }
    std::string compressed() const;

private:
    std::vector<Column> directory_;
    std::string bytes_;
};

std::string base64(std::string_view bytes);

}  // namespace sim::report
