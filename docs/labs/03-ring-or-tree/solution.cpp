// Lab 3: an all-reduce that takes a tree or the ring, whichever is faster.
#include <libsim/collectives/all_reduce.hpp>
#include <ranks/lab.hpp>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace {

using Numbers = std::vector<double>;

// The ring of lab 2, as the library has it.
[[maybe_unused]] void ring(sim::GPU& gpu, Numbers& gradient) {
    sim::collectives::all_reduce(gpu, sim::world(gpu), gradient);
}

[[maybe_unused]] void add(Numbers& sum, const Numbers& more) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += more[i];
    }
}

// `latency` in seconds, `bandwidth` in bytes per second.
void all_reduce([[maybe_unused]] sim::GPU& gpu, [[maybe_unused]] Numbers& gradient, [[maybe_unused]] double latency,
                [[maybe_unused]] double bandwidth) {
    [[maybe_unused]] const int ranks = gpu.world_size();  // a power of two
    // Your lines begin here: report the size in bytes from which on the ring is faster, as "crossover". A larger
    // gradient takes the ring; a smaller one goes up a tree to rank 0 and down again.
    // Starter: sim::lab::gap(gpu, "choose between the ring and a tree, and write the tree");
    const double levels = std::log2(ranks);
    const double crossover = latency * bandwidth * (ranks - 1 - levels) / (levels - (ranks - 1.0) / ranks);
    gpu.report("crossover", crossover);
    if (static_cast<double>(gradient.size() * sizeof(double)) > crossover) {
        return ring(gpu, gradient);
    }
    for (int distance = 1; distance < ranks; distance *= 2) {
        if (gpu.rank() % (2 * distance) == distance) {
            gpu.send(gpu.rank() - distance, gradient, "sum so far");
        } else if (gpu.rank() % (2 * distance) == 0) {
            add(gradient, gpu.receive<double>(gpu.rank() + distance, "sum so far"));
        }
    }
    for (int distance = ranks / 2; distance > 0; distance /= 2) {
        if (gpu.rank() % (2 * distance) == 0) {
            gpu.send(gpu.rank() + distance, gradient, "whole sum");
        } else if (gpu.rank() % (2 * distance) == distance) {
            gpu.receive(gpu.rank() - distance, gradient, "whole sum");
        }
    }
    // Your lines end here.
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    for (const std::string size : {"small", "middle", "large"}) {
        Numbers gradient(static_cast<std::size_t>(given.whole(size + "_elements")));
        std::iota(gradient.begin(), gradient.end(), given["factor"] * (gpu.rank() + 1));
        all_reduce(gpu, gradient, given["latency_seconds"], given["bytes_per_second"]);
        const double sum = std::accumulate(gradient.begin(), gradient.end(), 0.0);
        gpu.report(size, Numbers{gradient.front(), gradient.back(), sum});
    }
}

}  // namespace

NDSIM_LAB(program)
