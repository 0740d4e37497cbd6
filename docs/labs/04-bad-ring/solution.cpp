// Lab 4: the bad ring, against the good one.
#include <libsim/collectives/all_reduce.hpp>
#include <ranks/lab.hpp>

#include <numeric>
#include <string>
#include <vector>

namespace {

using Numbers = std::vector<double>;

[[maybe_unused]] void add(Numbers& sum, const Numbers& more) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += more[i];
    }
}

// The ring of lab 2, in chunks, as the library has it. Returns the seconds that it took.
double good_ring(sim::GPU& gpu, Numbers& gradient) {
    const sim::Duration begin = gpu.now();
    sim::collectives::all_reduce(gpu, sim::world(gpu), gradient);
    return sim::seconds(gpu.now() - begin);
}

// The same in whole gradients. Returns the seconds that it took.
double bad_ring([[maybe_unused]] sim::GPU& gpu, [[maybe_unused]] const sim::lab::Given& given,
                [[maybe_unused]] Numbers& gradient) {
    [[maybe_unused]] const int ranks = gpu.world_size();
    [[maybe_unused]] const int right = (gpu.rank() + 1) % ranks;
    [[maybe_unused]] const int left = (gpu.rank() + ranks - 1) % ranks;
    // Your lines begin here: N - 1 times, send a whole gradient to the right, receive one from the left, and add it
    // up. Report as "break_even" at how many bytes both rings take as long, and return how long this one took.
    // Starter: sim::lab::gap(gpu, "write the bad ring, and take its time");
    const double latency_bytes = given["latency_seconds"] * given["bytes_per_second"];
    gpu.report("break_even", latency_bytes * ranks / (ranks - 2.0));
    const sim::Duration begin = gpu.now();
    Numbers passing = gradient;
    for (int step = 0; step < ranks - 1; ++step) {
        gpu.send(right, passing, "whole gradient");
        gpu.receive(left, passing, "whole gradient");
        add(gradient, passing);
    }
    return sim::seconds(gpu.now() - begin);
    // Your lines end here.
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    for (const std::string size : {"small", "large"}) {
        Numbers gradient(static_cast<std::size_t>(given.whole(size + "_elements")));
        std::iota(gradient.begin(), gradient.end(), given["factor"] * (gpu.rank() + 1));
        Numbers copy = gradient;
        gpu.report(size + "_good_seconds", good_ring(gpu, copy));
        gpu.report(size + "_bad_seconds", bad_ring(gpu, given, gradient));
        const double sum = std::accumulate(gradient.begin(), gradient.end(), 0.0);
        gpu.report(size + "_sum", Numbers{gradient.front(), gradient.back(), sum});
    }
}

}  // namespace

NDSIM_LAB(program)
