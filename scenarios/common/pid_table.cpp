#include "scenarios/common/pid_table.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

namespace sim::scenarios {

PidTable::PidTable(int ranks) {
    const auto count = static_cast<std::size_t>(ranks);
    // Without a name, so that nothing is left behind however the run ends.
    void* memory = ::mmap(nullptr, count * sizeof(Pid), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(), "memory shared with the ranks");
    }
    pids_ = {static_cast<Pid*>(memory), count};
    std::uninitialized_value_construct(pids_.begin(), pids_.end());
}

PidTable::~PidTable() {
    ::munmap(pids_.data(), pids_.size_bytes());
}

void PidTable::enter(int rank) {
    pids_[static_cast<std::size_t>(rank)].store(::getpid(), std::memory_order_relaxed);
}

int PidTable::pid(int rank) const {
    return pids_[static_cast<std::size_t>(rank)].load(std::memory_order_relaxed);
}

}  // namespace sim::scenarios
