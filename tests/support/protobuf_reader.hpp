// Reads a Protocol Buffers message without knowing its fields, as `protoc --decode_raw` does.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sim::test {

class ProtobufFields {
public:
    // Throws std::runtime_error if the bytes are not a message.
    explicit ProtobufFields(std::string_view bytes) : bytes_(bytes) {
        while (!bytes_.empty()) {
            const std::uint64_t key = varint();
            const auto field = static_cast<std::uint32_t>(key >> 3U);
            switch (key & 7U) {
                case 0: numbers_[field].push_back(varint()); break;
                case 1: numbers_[field].push_back(fixed()); break;
                case 2: texts_[field].push_back(std::string(take(varint()))); break;
                default: throw std::runtime_error("a wire type that is not written");
            }
        }
    }

    const std::vector<std::uint64_t>& numbers(std::uint32_t field) const { return found(numbers_, field); }
    const std::vector<std::string>& texts(std::uint32_t field) const { return found(texts_, field); }
    bool has(std::uint32_t field) const { return numbers_.contains(field) || texts_.contains(field); }
    // The value of a field that occurs once.
    std::uint64_t number(std::uint32_t field) const { return numbers(field).at(0); }
    ProtobufFields message(std::uint32_t field) const { return ProtobufFields(texts(field).at(0)); }

private:
    template <class Value>
    static const std::vector<Value>& found(const std::map<std::uint32_t, std::vector<Value>>& all,
                                           std::uint32_t field) {
        static const std::vector<Value> none;
        const auto at = all.find(field);
        return at == all.end() ? none : at->second;
    }
    std::string_view take(std::uint64_t count) {
        if (count > bytes_.size()) {
            throw std::runtime_error("a message is cut off");
        }
        const std::string_view taken = bytes_.substr(0, count);
        bytes_.remove_prefix(count);
        return taken;
    }
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(take(1).front());
            value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            if (byte < 0x80U) {
                return value;
            }
        }
        throw std::runtime_error("a number has too many bytes");
    }
    std::uint64_t fixed() {
        std::uint64_t value = 0;
        unsigned shift = 0;
        for (const char byte : take(8)) {
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << shift;
            shift += 8;
        }
        return value;
    }

    std::string_view bytes_;
    std::map<std::uint32_t, std::vector<std::uint64_t>> numbers_;
    std::map<std::uint32_t, std::vector<std::string>> texts_;
};

}  // namespace sim::test
