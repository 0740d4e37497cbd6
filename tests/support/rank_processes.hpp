// Rank processes under test: the memory they share with the test, and the things they must not leave behind.
#pragma once

#include "tests/support/simulate.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <boost/interprocess/anonymous_shared_memory.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <new>

namespace sim::test {

inline constexpr int world_size = 6;

// Memory that a test shares with the ranks and with a killer process.
struct Shared {
    std::atomic<int> pids[world_size];
    std::atomic<int> victim;
    std::atomic<std::int64_t> killed_at;  // steady clock, ns
};

// An object shared by all processes that are forked while it exists.
template <class Object>
class InSharedMemory {
public:
    Object* operator->() const { return at_; }
    Object& operator*() const { return *at_; }

private:
    boost::interprocess::mapped_region region_ = boost::interprocess::anonymous_shared_memory(sizeof(Object));
    Object* at_ = new (region_.get_address()) Object{};
};
using SharedMemory = InSharedMemory<Shared>;

inline std::int64_t now_ns() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline bool all_started(Shared& shared) {
    for (const auto& pid : shared.pids) {
        if (pid == 0) {
            return false;
        }
    }
    return true;
}

// Sends data around the ring forever, with answers, posts, and payloads in streams and arenas in flight at every
// instant.
inline void busy_for_ever(GPU& gpu, Shared& shared) {
    shared.pids[gpu.rank()] = getpid();
    std::vector<double> all(10'000, 1.0);
    for (std::size_t count = 100;; count = all.size() + 100 - count) {
        const std::span data(all.data(), count);
        gpu.compute("work", Units(1));
        gpu.send((gpu.rank() + 1) % world_size, data, "data", Units(1));
        gpu.receive((gpu.rank() + world_size - 1) % world_size, data, "data", Units(1));
        gpu.now();
    }
}

inline int child_count() {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        std::FILE* file = std::fopen((entry.path() / "children").c_str(), "r");
        int pid = 0;
        while (file != nullptr && std::fscanf(file, "%d", &pid) == 1) {
            ++count;
        }
        if (file != nullptr) {
            std::fclose(file);
        }
    }
    return count;
}

inline std::ptrdiff_t entries_of(const char* folder) {
    return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

// Whether a process has the file open or mapped.
inline bool in_use(const std::filesystem::path& file) {
    for (const auto& process : std::filesystem::directory_iterator("/proc")) {
        for (const char* held : {"fd", "map_files"}) {
            std::error_code gone;  // the process has ended, or belongs to another user
            for (const auto& entry : std::filesystem::directory_iterator(process.path() / held, gone)) {
                if (std::filesystem::read_symlink(entry.path(), gone) == file) {
                    return true;
                }
            }
        }
    }
    return false;
}

// Counts named shared memory that no process uses; memory in use may belong to programs other than this test.
inline std::ptrdiff_t abandoned_memory() {
    std::ptrdiff_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
        count += in_use(entry.path()) ? 0 : 1;
    }
    return count;
}

struct Census {
    int children = child_count();
    std::ptrdiff_t descriptors = entries_of("/proc/self/fd");
    std::ptrdiff_t named_memory = abandoned_memory();
    friend bool operator==(const Census&, const Census&) = default;
};

}  // namespace sim::test
