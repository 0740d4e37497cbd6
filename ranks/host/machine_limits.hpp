// These functions give what this machine leaves to a run: memory, processes and open files, as the kernel reports them,
// including a container's limits.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <optional>

namespace sim::ranks {

// The bytes that this process and its children may still use.
std::int64_t available_memory();

struct ProcessLimit {
    std::optional<std::int64_t> most;  // empty: there is no limit
    std::int64_t in_use = 0;
};
// The tighter of two limits: the user's, which does not bind root, and the container's. Costs a look at every process.
ProcessLimit process_limit();

// The most files that this process may ever open.
std::optional<std::int64_t> most_open_files();

// During its lifetime, this process may open as many files as its hard limit allows: a run of processes needs a few per
// rank, and the soft limit is low only by default.
class FileLimit {
public:
    FileLimit();
    ~FileLimit() { put_back(); }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

    // Also called in a rank, so that its program has its usual limit.
    void put_back() const { setrlimit(RLIMIT_NOFILE, &before_); }
    // The number of files that can still be opened.
    rlim_t left() const;

private:
    rlimit before_{};
};

}  // namespace sim::ranks
