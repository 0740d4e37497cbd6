// The memory of simulated GPUs: addresses that are reserved on this computer but never backed by memory.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace sim::torch {

// A device's addresses are one stretch, and reserve() takes the lowest hole that is long enough. PyTorch's allocators
// prefer low addresses, too, so that a run uses the same addresses every time, whatever else its process holds.
//
// Cost: a walk over the ranges above the lowest hole. Sizes are rounded up to pages of 4 KiB.
class Memory {
public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory();

    // `bytes` is the memory of each device. Requires: nothing is reserved.
    void have(int devices, std::int64_t bytes);

    // Null if the GPU is full or this computer has no addresses left.
    void* reserve(int device, std::int64_t bytes);
    void give_back(void* address);
    std::int64_t free_bytes(int device);

private:
    struct Device {
        char* begin = nullptr;    // of its stretch; null: nothing reserved yet
        char* full_to = nullptr;  // nothing below it is free
        std::int64_t used = 0;
        std::map<char*, std::int64_t> ranges = {};  // reserved bytes
    };
    std::int64_t stretch() const;
    bool has_addresses(Device& device) const;
    char* lowest_room(Device& device, std::int64_t bytes) const;
    void clear();

    std::int64_t bytes_ = 0;
    std::mutex mutex_;
    std::vector<Device> devices_;
};

}  // namespace sim::torch
