// The random numbers of a simulated GPU. Its state is a GPU's, a seed and an offset, which frameworks read and set; the
// numbers are the CPU's: each operator draws from a generator of its own, which seed and offset determine.
#pragma once

#include <ATen/core/Generator.h>

#include <cstdint>

namespace sim::slot {

// That of a device; -1: of the current one.
at::Generator& default_generator(c10::DeviceIndex device);
at::Generator new_generator(c10::DeviceIndex device);

// What one operator draws from: it can be drawn once more, as a backward does.
struct Draw {
    std::uint64_t seed = 0;
    std::uint64_t offset = 0;
};
// The next one of a simulated GPU's generator, which moves the offset on.
Draw next_draw(const at::Generator& generator);
// The CPU generator with its numbers.
at::Generator generator_of(const Draw& draw);
inline at::Generator draw(const at::Generator& generator) {
    return generator_of(next_draw(generator));
}

}  // namespace sim::slot
