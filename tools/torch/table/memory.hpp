// The memory of simulated GPUs as addresses: reserved of this computer's, and taken into use by nobody.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace sim::torch {

// A device's addresses are one stretch, of which the lowest that is long enough is reserved. PyTorch's allocators
// prefer low addresses, so that a run takes the same memory every time, whatever else its process holds.
//
// Cost: a walk over what lies above the lowest hole. Sizes are rounded up to pages of 4 KiB.
class Memory {
public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory();

    // `bytes`: of each device. Requires: nothing is reserved.
    void have(int devices, std::int64_t bytes);

    // Null: the GPU is full, or this computer has no addresses left.
    void* reserve(int device, std::int64_t bytes);
    void give_back(void* address);
    std::int64_t free_bytes(int device);

private:
    struct Device {
        char* begin = nullptr;    // of its stretch; null: nothing was reserved yet
        char* full_to = nullptr;  // below it nothing is free
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
