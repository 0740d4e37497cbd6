// A signature is everything that the price of a call depends on, as a sequence of words: the operator, its tensors'
// types, sizes and strides, and the numbers that its kind asks for. Prices are stored by signature: calls with equal
// signatures in one price list cost the same.
//
// A look-up costs a few nanoseconds plus one per word, and allocates nothing. It compares the words, not only the hash.
#pragma once

#include "tools/torch/prices/bill.hpp"
#include "tools/torch/prices/operator.hpp"
#include "tools/torch/seam.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sim::torch::prices {

class Signature {
public:
    // `first` identifies the operator and the switches. Requires: `arguments` has as many elements as the operator has
    // arguments.
    void take(std::uint64_t first, const Operator& op, const seam::Value* arguments,
              std::span<const seam::Value> results);

    std::uint64_t hash() const { return hash_; }
    std::span<const std::uint64_t> words() const { return {words_.data(), count_}; }

private:
    std::vector<std::uint64_t> words_;  // the first `count_` are used
    std::size_t count_ = 0;
    std::uint64_t hash_ = 0;
};

class Prices {
public:
    Prices();
    // Null if the signature has no price yet.
    Entry* find(const Signature& signature) const;
    // Requires: the signature has no price yet.
    void enter(const Signature& signature, Entry& entry);

private:
    struct Slot {
        std::uint64_t hash = 0;
        std::size_t begin = 0;  // in words_
        std::size_t count = 0;
        Entry* entry = nullptr;  // null: free
    };
    void put(const Slot& slot);

    std::vector<Slot> slots_;  // a power of two, at most half of them taken
    std::size_t taken_ = 0;
    std::vector<std::uint64_t> words_;  // of all signatures
};

}  // namespace sim::torch::prices
