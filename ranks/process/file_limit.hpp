// A run of processes needs a few open files per rank. FileLimit raises the soft limit, which is low only by default.
#pragma once

#include <sys/resource.h>

namespace sim::ranks {

// During its lifetime, this process may open as many files as its hard limit allows.
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
