// A run of processes needs a few open files for each rank. The usual limit is low only for programs that ask no more.
#pragma once

#include <sys/resource.h>

namespace sim::ranks {

// While this lives, this process may open as many files as it ever may.
class FileLimit {
public:
    FileLimit();
    ~FileLimit() { put_back(); }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

    // In a rank, too: its program has the limit that it would have without us.
    void put_back() const { setrlimit(RLIMIT_NOFILE, &before_); }
    // How many more files can be opened.
    rlim_t left() const;

private:
    rlimit before_{};
};

}  // namespace sim::ranks
