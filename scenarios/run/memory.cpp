#include "scenarios/run/memory.hpp"

#include "libsim/config/errors.hpp"
#include "scenarios/lesson/transformer/alone.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace sim::scenarios {

using namespace config;
using namespace lesson;

namespace {

// Per rank: weights (the stage's and the pack's), gradients (two and their sum), and its reports; measured.
constexpr double arrays = 6;
constexpr double gigabyte = 1e9;

double bytes_of_rank(const Options& options) {
    const double weights = static_cast<double>(weight_count(options.shape));
    return arrays * sizeof(double) * weights / (options.mesh.tp * options.mesh.pp);
}

double bytes_of_machine() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void check_memory(const Options& options) {
    const double needed = bytes_of_rank(options) * options.ranks;
    const double there = bytes_of_machine();
    if (needed > there) {
        throw MachineLimit(fmt::format(
            "{} ranks that really train need about {:.0f} GB, and this machine has {:.0f} GB; {} ranks would fit, more "
            "with a smaller --hidden",
            options.ranks, needed / gigabyte, there / gigabyte, static_cast<int>(there / bytes_of_rank(options))));
    }
}

}  // namespace sim::scenarios
