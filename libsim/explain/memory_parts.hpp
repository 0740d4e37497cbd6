// The parts of a rank's memory, in the order of tables (from the left) and of pictures (from the bottom up).
#pragma once

#include "libsim/report/colours.hpp"
#include "libsim/training/memory.hpp"

#include <array>
#include <cstdint>

namespace sim::explain {

struct MemoryPart {
    const char* name;
    std::int64_t training::MemoryUse::*bytes;
    const char* colour;
};
inline constexpr auto memory_parts =
    std::to_array<MemoryPart>({{"parameters", &training::MemoryUse::parameters, report::palette::blue},
                               {"gradients", &training::MemoryUse::gradients, report::palette::sky_blue},
                               {"optimizer", &training::MemoryUse::optimizer, report::palette::green},
                               {"activations", &training::MemoryUse::activations, report::palette::orange},
                               {"working", &training::MemoryUse::working, report::palette::vermilion},
                               {"buffers", &training::MemoryUse::buffers, report::palette::purple},
                               {"reserve", &training::MemoryUse::reserve, "#9aa4ae"}});

}  // namespace sim::explain
