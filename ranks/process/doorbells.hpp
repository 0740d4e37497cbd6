// The supervisor wakes a rank through a futex in its memory, and a rank wakes the supervisor through its line.
//
// std::atomic::wait cannot wake another process, and only a descriptor lets the supervisor wait for everything at once.
// The wake-up call is made only when the other side has announced that it sleeps.
#pragma once

#include "ranks/process/lines.hpp"
#include "ranks/process/shared_memory.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace sim::ranks {

// How often a rank polls for its answer, yielding in between, before it sleeps. An answer takes a few microseconds
// where both sides are awake, which costs less than going to sleep. Where ranks outnumber the cores, every poll of a
// waiting rank delays the ranks that do not wait, so the polls of all ranks together are bounded; but a rank that gives
// way twice is often answered by then, without being put to sleep and woken. The supervisor, which is heavier than many
// ranks (rank_processes.cpp), does not wait for their polls.
constexpr int looks_before_sleep(int ranks, int cores) {
    constexpr int most = 50;
    constexpr int least = 2;
    return static_cast<int>(std::clamp<std::int64_t>(std::int64_t{2} * most * cores / ranks, least, most));
}

inline long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    return syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

// Supervisor: something that the rank may wait for has changed. Cheap while the rank is awake.
inline void ring_rank(RankMemory& memory) {
    // Either we see that it sleeps, or it sees the change before it does: both write first and then look.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (memory.sleeping.load(std::memory_order_relaxed) != 0) {
        memory.bell.fetch_add(1, std::memory_order_seq_cst);
        futex(memory.bell, FUTEX_WAKE, 1);
    }
}

// Rank: returns when `ready()`, which only the supervisor makes true. Sleeps after that many polls.
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

// Rank: the supervisor should look, if it sleeps.
inline void ring_supervisor(const SupervisorMemory& memory, const LineEnd& line) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (memory.asleep.load(std::memory_order_relaxed) != 0) {
        line.ring();
    }
}

}  // namespace sim::ranks
