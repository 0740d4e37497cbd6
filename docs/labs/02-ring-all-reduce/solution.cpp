// Lab 2: a ring all-reduce, made of sends and receives.
#include <ranks/lab.hpp>

#include <span>
#include <vector>

namespace {

// The gradient is cut into as many chunks as there are ranks.
std::span<double> chunk_of(std::vector<double>& gradient, int index, int ranks) {
    const std::size_t length = gradient.size() / static_cast<std::size_t>(ranks);
    return std::span(gradient).subspan(static_cast<std::size_t>((index % ranks + ranks) % ranks) * length, length);
}

void all_reduce([[maybe_unused]] sim::GPU& gpu, [[maybe_unused]] std::vector<double>& gradient) {
    // Your lines begin here: N - 1 steps that add partial sums up, and N - 1 that pass whole sums on. In each of them
    // a rank sends one chunk to its right neighbour and receives one from its left.
    // Starter: sim::lab::gap(gpu, "write the ring all-reduce here");
    const int ranks = gpu.world_size();
    const int right = (gpu.rank() + 1) % ranks;
    const int left = (gpu.rank() + ranks - 1) % ranks;
    for (int step = 0; step < ranks - 1; ++step) {
        gpu.send(right, chunk_of(gradient, gpu.rank() - step, ranks), "partial sum");
        const auto arrived = gpu.receive<double>(left, "partial sum");
        const std::span<double> mine = chunk_of(gradient, gpu.rank() - step - 1, ranks);
        for (std::size_t i = 0; i < mine.size(); ++i) {
            mine[i] += arrived[i];
        }
    }
    for (int step = 0; step < ranks - 1; ++step) {
        gpu.send(right, chunk_of(gradient, gpu.rank() + 1 - step, ranks), "whole sum");
        gpu.receive(left, chunk_of(gradient, gpu.rank() - step, ranks), "whole sum");
    }
    // Your lines end here.
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    std::vector<double> gradient(static_cast<std::size_t>(given.whole("elements")));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        gradient[i] = given["factor"] * (gpu.rank() + 1) + static_cast<double>(i);
    }
    all_reduce(gpu, gradient);
    gpu.report("gradient", gradient);
}

}  // namespace

NDSIM_LAB(program)
