// A signature is all that the price of a call depends on, as a row of words: the operator, its tensors' types,
// sides and strides, and the numbers that its kind asks for. Prices are kept by signatures; two calls with one price
// list's equal signatures cost the same.
//
// A look-up costs some nanoseconds and one for each word, and allocates nothing. Words are compared, not their hash
// alone.
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
    // Requires: `arguments` are as many as the operator has. `first`: what tells operators and switches apart.
    void take(std::uint64_t first, const Operator& op, const seam::Value* arguments,
              std::span<const seam::Value> results);

    std::uint64_t hash() const { return hash_; }
    std::span<const std::uint64_t> words() const { return {words_.data(), count_}; }

private:
    std::vector<std::uint64_t> words_;  // the first `count_`; the others are room
    std::size_t count_ = 0;
    std::uint64_t hash_ = 0;
};

class Prices {
public:
    Prices();
    // Null: it has none yet.
    Entry* find(const Signature& signature) const;
    // Requires: it has none yet.
    void enter(const Signature& signature, Entry& entry);

private:
    struct Slot {
        std::uint64_t hash = 0;
        std::size_t begin = 0;  // in words_
        std::size_t count = 0;
        Entry* entry = nullptr;  // null: free
    };
    void put(const Slot& slot);

    std::vector<Slot> slots_;  // a power of two; at most half of them are taken
    std::size_t taken_ = 0;
    std::vector<std::uint64_t> words_;  // of all signatures
};

}  // namespace sim::torch::prices
