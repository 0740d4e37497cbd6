// The random numbers of a simulated GPU. The state is a GPU's, a seed and an offset, which frameworks read and set. The
// numbers are the CPU's: each operator draws from its own CPU generator, determined by seed and offset.
#pragma once

#include <ATen/core/Generator.h>

#include <cstdint>

namespace sim::slot {

// The generator of a device; -1: the current one.
at::Generator& default_generator(c10::DeviceIndex device);
at::Generator new_generator(c10::DeviceIndex device);

// The random state of one operator. A backward pass can draw the same numbers again.
struct Draw {
    std::uint64_t seed = 0;
    std::uint64_t offset = 0;
};
// The next draw of a simulated GPU's generator; advances its offset.
Draw next_draw(const at::Generator& generator);
// The CPU generator of a draw.
at::Generator generator_of(const Draw& draw);
inline at::Generator draw(const at::Generator& generator) {
    return generator_of(next_draw(generator));
}

}  // namespace sim::slot
