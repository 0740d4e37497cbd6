// The memory that a rank's process shares with others, as a program can find it: it may do anything to that memory.
#pragma once

#include "ranks/process/shared_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace sim::test {

struct Mapped {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    bool is_writable = false;
};

inline std::vector<Mapped> shared_mappings() {
    std::vector<Mapped> found;
    std::FILE* maps = std::fopen("/proc/self/maps", "r");
    std::array<char, 512> line{};
    while (std::fgets(line.data(), line.size(), maps) != nullptr) {
        unsigned long begin = 0;
        unsigned long end = 0;
        std::array<char, 8> rights{};
        if (std::sscanf(line.data(), "%lx-%lx %7s", &begin, &end, rights.data()) == 3 && rights[3] == 's') {
            found.push_back({begin, end - begin, rights[1] == 'w'});
        }
    }
    std::fclose(maps);
    return found;
}

// The mappings of the rank whose process this is: its queues, all ranks' flags, and the supervisor's memory.
struct OwnMappings {
    ranks::RankMemory* memory = nullptr;
    volatile std::uint64_t* flags = nullptr;
    const ranks::SupervisorMemory* supervisor = nullptr;

    OwnMappings() {
        for (const Mapped& mapped : shared_mappings()) {
            void* const at = reinterpret_cast<void*>(mapped.begin);
            if (!mapped.is_writable) {
                supervisor = static_cast<const ranks::SupervisorMemory*>(at);
            } else if (mapped.bytes >= sizeof(ranks::RankMemory)) {
                memory = static_cast<ranks::RankMemory*>(at);
            } else {
                flags = static_cast<volatile std::uint64_t*>(at);
            }
        }
        if (memory == nullptr || flags == nullptr || supervisor == nullptr) {
            throw std::runtime_error("this is no rank's process");
        }
    }
};

}  // namespace sim::test
