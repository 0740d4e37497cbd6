// The process of each rank, known from the moment its program begins, to this process and to the ranks forked from it.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

namespace sim::scenarios {

class PidTable {
public:
    // Must exist before ranks are forked. Throws std::system_error if there is no memory.
    explicit PidTable(int ranks);
    PidTable(const PidTable&) = delete;
    PidTable& operator=(const PidTable&) = delete;
    ~PidTable();

    // Called by the rank itself.
    void enter(int rank);
    // 0 if the rank has not begun.
    int pid(int rank) const;

private:
    using Pid = std::atomic<int>;
    static_assert(Pid::is_always_lock_free);  // a lock would not reach into another process

    std::span<Pid> pids_;
};

}  // namespace sim::scenarios
