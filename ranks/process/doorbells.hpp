// Who wakes whom: the supervisor wakes a rank through a futex in its memory, a rank the supervisor through an eventfd.
//
// std::atomic::wait cannot wake another process, and only a descriptor lets the supervisor wait for everything at once.
// A call that wakes is only made when the other side has said that it sleeps.
#pragma once

#include "ranks/process/shared_memory.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sim::ranks {

// An answer takes a few microseconds where both sides are awake; giving way that often costs less than going to sleep.
inline constexpr int yields_before_sleep = 50;

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

// Rank: returns when `ready()`, which only the supervisor makes true.
template <class Ready>
void sleep_until(RankMemory& memory, Ready ready) {
    for (int i = 0; i < yields_before_sleep; ++i) {
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
inline void ring_supervisor(const SupervisorMemory& memory, int event_descriptor) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (memory.asleep.load(std::memory_order_relaxed) != 0) {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = write(event_descriptor, &one, sizeof one);
    }
}

}  // namespace sim::ranks
