#include "tools/torch/prices/signature.hpp"

#include <bit>
#include <cstring>

namespace sim::torch::prices {

using seam::Tensor;
using seam::Value;

namespace {

constexpr std::size_t first_slots = 1024;

// The place of the next word of a signature, and the hash so far. Passed by value, in two registers.
struct Cursor {
    std::uint64_t* next;
    std::uint64_t hash;

    // FxHash. It need only tell most signatures apart, since their words are compared, too.
    [[nodiscard]] Cursor with(std::uint64_t word) const {
        *next = word;
        return {next + 1, (std::rotl(hash, 5) ^ word) * 0x517cc1b727220a95};
    }
    [[nodiscard]] Cursor with(std::int64_t number) const { return with(static_cast<std::uint64_t>(number)); }
};

// True if its sizes do not determine its layout in memory.
inline bool has_strides(const Tensor& tensor) {
    return !tensor.is_contiguous && tensor.strides != nullptr;
}

inline std::size_t words_of(const Tensor& tensor) {
    return 1 + static_cast<std::size_t>(tensor.dimensions) * (has_strides(tensor) ? 2 : 1);
}

inline Cursor with_tensor(Cursor at, const Tensor& tensor) {
    constexpr std::uint64_t is_tensor = 1U << 31U;
    at = at.with(
        is_tensor | static_cast<std::uint64_t>(tensor.type) | static_cast<std::uint64_t>(tensor.dimensions) << 8U |
        static_cast<std::uint64_t>(tensor.is_contiguous) << 16U | static_cast<std::uint64_t>(tensor.is_on_gpu) << 17U);
    for (std::int32_t side = 0; side < tensor.dimensions; ++side) {
        at = at.with(tensor.sizes[side]);
    }
    for (std::int32_t side = 0; has_strides(tensor) && side < tensor.dimensions; ++side) {
        at = at.with(tensor.strides[side]);
    }
    return at;
}

Cursor with_list(Cursor at, const Value& list, bool is_asked) {
    if (list.kind == seam::Kind::integers && !is_asked) {
        return at;
    }
    at = at.with(std::int64_t{list.count});
    for (std::int32_t one = 0; one < list.count; ++one) {
        at = list.kind == seam::Kind::tensors ? with_tensor(at, list.tensors[one]) : at.with(list.integers[one]);
    }
    return at;
}

inline Cursor with_value(Cursor at, const Value& value, bool is_asked) {
    switch (value.kind) {
        case seam::Kind::tensor: return with_tensor(at, *value.tensors);
        case seam::Kind::none: return at.with(std::uint64_t{0});
        case seam::Kind::integer:
        case seam::Kind::flag: return is_asked ? at.with(value.integer) : at;
        case seam::Kind::tensors:
        case seam::Kind::integers: return with_list(at, value, is_asked);
        case seam::Kind::number: break;
    }
    return at;
}

std::size_t most_words_of_list(const Value& list) {
    std::size_t words = 1 + static_cast<std::size_t>(list.count);
    for (std::int32_t at = 0; list.kind == seam::Kind::tensors && at < list.count; ++at) {
        words += words_of(list.tensors[at]);
    }
    return words;
}

inline std::size_t most_words_of(const Value& value) {
    switch (value.kind) {
        case seam::Kind::tensor: return words_of(*value.tensors);
        case seam::Kind::tensors:
        case seam::Kind::integers: return most_words_of_list(value);
        default: return 1;
    }
}

}  // namespace

void Signature::take(std::uint64_t first, const Operator& op, const Value* arguments, std::span<const Value> results) {
    std::size_t most = 1;
    for (const Value& value : std::span(arguments, op.arguments.size())) {
        most += most_words_of(value);
    }
    for (const Value& value : results) {
        most += most_words_of(value);
    }
    if (most > words_.size()) [[unlikely]] {
        words_.resize(2 * most);
    }
    Cursor at = Cursor{words_.data(), 0}.with(first);
    for (const Argument& argument : op.arguments) {
        at = with_value(at, *arguments++, argument.is_asked);
    }
    if (!op.is_in_place) {
        for (const Value& result : results) {
            at = with_value(at, result, false);
        }
    }
    count_ = static_cast<std::size_t>(at.next - words_.data());
    hash_ = at.hash ^ at.hash >> 32U;  // every bit of input reaches the high bits
}

Prices::Prices() : slots_(first_slots) {}

Entry* Prices::find(const Signature& signature) const {
    const auto words = signature.words();
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = signature.hash() & mask; slots_[at].entry != nullptr; at = (at + 1) & mask) {
        const Slot& slot = slots_[at];
        if (slot.hash == signature.hash() && slot.count == words.size() &&
            std::memcmp(words.data(), words_.data() + slot.begin, words.size_bytes()) == 0) {
            return slot.entry;
        }
    }
    return nullptr;
}

void Prices::enter(const Signature& signature, Entry& entry) {
    if (2 * ++taken_ > slots_.size()) {
        std::vector<Slot> before(2 * slots_.size());
        before.swap(slots_);
        for (const Slot& slot : before) {
            if (slot.entry != nullptr) {
                put(slot);
            }
        }
    }
    const auto words = signature.words();
    put({.hash = signature.hash(), .begin = words_.size(), .count = words.size(), .entry = &entry});
    words_.insert(words_.end(), words.begin(), words.end());
}

void Prices::put(const Slot& slot) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = slot.hash & mask;
    while (slots_[at].entry != nullptr) {
        at = (at + 1) & mask;
    }
    slots_[at] = slot;
}

}  // namespace sim::torch::prices
