// The memory of simulated GPUs as addresses: reserved of this computer's, and taken into use by nobody.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace sim::torch {

class Memory {
public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    // `bytes`: of each device. Requires: nothing is reserved.
    void have(int devices, std::int64_t bytes);

    // Null: the GPU is full, or this computer has no addresses left.
    void* reserve(int device, std::int64_t bytes);
    void give_back(void* address);
    std::int64_t free_bytes(int device);

private:
    struct Range {
        std::int64_t bytes;
        int device;
    };
    std::int64_t bytes_ = 0;
    std::mutex mutex_;
    std::vector<std::int64_t> used_;
    std::map<void*, Range> ranges_;
};

}  // namespace sim::torch
