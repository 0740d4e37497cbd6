// Each rank has a flag that it raises when the supervisor should look at its memory. So the supervisor need not look at
// all of them, which lie far apart: a thousand flags lie in sixteen lines of the cache.
//
// Every rank can write every flag, unlike the rest of the shared memory. So a flag is a hint: one too many costs a
// look, one that was lost costs time, because the supervisor looks at all ranks now and then.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sim::ranks {

class Flags {
public:
    // `at`: memory of bytes_for(ranks), zeroed.
    Flags(std::byte* at, int ranks)
        : words_(reinterpret_cast<std::atomic<std::uint64_t>*>(at)), count_(words_for(ranks)) {}

    static std::size_t bytes_for(int ranks) { return words_for(ranks) * sizeof(std::uint64_t); }

    void raise(int rank) {
        const auto number = static_cast<std::size_t>(rank);
        words_[number / 64].fetch_or(std::uint64_t{1} << (number % 64), std::memory_order_release);
    }
    // Takes all flags down, and visits those that were up.
    template <class Visit>
    void take_down(Visit visit) {
        for (std::size_t i = 0; i < count_; ++i) {
            if (words_[i].load(std::memory_order_relaxed) == 0) {
                continue;
            }
            std::uint64_t up = words_[i].exchange(0, std::memory_order_acquire);
            for (; up != 0; up &= up - 1) {
                visit(static_cast<int>(i * 64 + static_cast<std::size_t>(std::countr_zero(up))));
            }
        }
    }

private:
    static std::size_t words_for(int ranks) { return (static_cast<std::size_t>(ranks) + 63) / 64; }

    std::atomic<std::uint64_t>* words_;
    std::size_t count_;
};

}  // namespace sim::ranks
