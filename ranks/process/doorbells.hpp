// The supervisor wakes a rank through a futex in the rank's memory; a rank wakes the supervisor through its line, and
// its flag says who rang.
//
// std::atomic::wait cannot wake another process, and only a descriptor lets the supervisor wait for everything at once.
// The wake-up call is made only if the other side has announced that it sleeps.
#pragma once

#include "ranks/process/lines.hpp"
#include "ranks/process/shared_memory.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sim::ranks {

// The number of times a rank polls for its answer, yielding in between, before it sleeps. An answer takes a few
// microseconds if both sides are awake, less than going to sleep. If ranks outnumber the cores, every poll of a waiting
// rank delays ranks that do not wait, so the total number of polls is bounded; but a rank that yields twice often has
// its answer by then, without being put to sleep and woken. The supervisor, which outweighs many ranks
// (rank_processes.cpp), does not wait for their polls.
constexpr int looks_before_sleep(int ranks, int cores) {
    constexpr int most = 50;
    constexpr int least = 2;
    return static_cast<int>(std::clamp<std::int64_t>(std::int64_t{2} * most * cores / ranks, least, most));
}

inline long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    return syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

// Called by the supervisor: something that the rank may wait for has changed. Cheap while the rank is awake.
inline void ring_rank(RankMemory& memory) {
    // Either we see that it sleeps, or it sees the change before it sleeps: both sides write first and then look.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (memory.sleeping.load(std::memory_order_relaxed) != 0) {
        memory.bell.fetch_add(1, std::memory_order_seq_cst);
        futex(memory.bell, FUTEX_WAKE, 1);
    }
}

// Called by the rank: returns when `ready()`, which only the supervisor makes true. Sleeps after `looks` polls.
template <class Ready>
void sleep_until(RankMemory& memory, int looks, Ready ready) {
    for (int i = 0; i < looks; ++i) {
        if (ready()) {
            return;
        }
        sched_yield();
    }
    memory.sleeping.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (;;) {
        const std::uint32_t seen = memory.bell.load(std::memory_order_seq_cst);
        if (ready()) {
            break;
        }
        futex(memory.bell, FUTEX_WAIT, seen);
    }
    memory.sleeping.store(0, std::memory_order_relaxed);
}

// Called by the rank: wakes the supervisor if it sleeps.
inline void ring_supervisor(const SupervisorMemory& memory, const LineEnd& line) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (memory.asleep.load(std::memory_order_relaxed) != 0) {
        line.ring();
    }
}

// Each rank has a flag that it raises when the supervisor should look at its memory. So the supervisor need not look at
// the memory of all ranks, which is far apart: a thousand flags fit into sixteen cache lines.
//
// Every rank can write every flag, unlike the rest of the shared memory. So a flag is a hint: a spurious one costs a
// look, a lost one costs time, because the supervisor occasionally looks at all ranks.
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
    // Lowers all flags and visits those that were up.
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
