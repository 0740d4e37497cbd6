#include "tools/labs/classes/archives.hpp"

#include "libsim/check.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>

namespace sim::labs {

namespace {

unsigned mode_of(const ArchivedFile& file) {
    return file.is_executable ? 0755U : 0644U;
}

// A little-endian number, as zip stores it.
std::string bytes(std::uint32_t number, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += static_cast<char>((number >> (8U * static_cast<unsigned>(i))) & 0xffU);
    }
    return text;
}

constexpr std::uint32_t day = (1U << 5U) | 1U;  // 1 January 1980, the earliest date in zip

// The fields shared by a file's header and its directory entry.
std::string common_header(const ArchivedFile& file) {
    const auto size = static_cast<std::uint32_t>(file.text.size());
    const auto crc = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const unsigned char*>(file.text.data()), static_cast<uInt>(size)));
    return bytes(20, 2) + bytes(0, 2) + bytes(0, 2) + bytes(0, 2) + bytes(day, 2) + bytes(crc, 4) + bytes(size, 4) +
           bytes(size, 4) + bytes(static_cast<std::uint32_t>(file.name.size()), 2) + bytes(0, 2);
}

std::string padded(std::string text, std::size_t size) {
    text.resize(size, '\0');
    return text;
}

std::string octal(std::uint64_t number, int digits) {
    return fmt::format("{:0{}o}", number, digits) + '\0';
}

// The checksum sums all bytes, with its own field counted as blanks.
std::string tar_header(const ArchivedFile& file) {
    check(file.name.size() < 100, "{} is too long a name for a tar", file.name);
    const std::string before = padded(file.name, 100) + octal(mode_of(file), 7) + octal(0, 7) + octal(0, 7) +
                               octal(file.text.size(), 11) + octal(0, 11);
    const std::string after = "0" + std::string(100, '\0') + padded("ustar", 6) + "00" + padded("root", 32) +
                              padded("root", 32) + octal(0, 7) + octal(0, 7);
    std::uint64_t sum = 8U * static_cast<unsigned>(' ');
    for (const char each : before + after) {
        sum += static_cast<unsigned char>(each);
    }
    return padded(before + octal(sum, 6) + " " + after, 512);
}

}  // namespace

std::string zip_of(const std::vector<ArchivedFile>& files) {
    std::string archive;
    std::string directory;
    for (const ArchivedFile& file : files) {
        const std::uint32_t regular = 0100000U | mode_of(file);
        directory += "PK\x01\x02" + bytes(20U | (3U << 8U), 2) + common_header(file) + bytes(0, 2) + bytes(0, 2) +
                     bytes(0, 2) + bytes(regular << 16U, 4) + bytes(static_cast<std::uint32_t>(archive.size()), 4) +
                     file.name;
        archive += "PK\x03\x04" + common_header(file) + file.name + file.text;
    }
    const auto count = static_cast<std::uint32_t>(files.size());
    return archive + directory + "PK\x05\x06" + bytes(0, 2) + bytes(0, 2) + bytes(count, 2) + bytes(count, 2) +
           bytes(static_cast<std::uint32_t>(directory.size()), 4) +
           bytes(static_cast<std::uint32_t>(archive.size()), 4) + bytes(0, 2);
}

std::string tar_of(const std::vector<ArchivedFile>& files) {
    std::string archive;
    for (const ArchivedFile& file : files) {
        archive += tar_header(file) + file.text;
        archive.resize((archive.size() + 511) / 512 * 512, '\0');
    }
    return archive + std::string(1024, '\0');
}

}  // namespace sim::labs
