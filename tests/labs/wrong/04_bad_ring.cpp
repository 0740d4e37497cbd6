// Wrong bad rings.
#include "tests/labs/wrong.hpp"

#include "libsim/collectives/all_reduce.hpp"

#include <functional>
#include <numeric>

namespace wrong {

namespace {

using sim::GPU;
using sim::lab::Given;

// A bad ring in which each decision can be made differently.
struct BadRing {
    int steps_less = 0;
    bool adds = true;
    bool doubles_own = false;
    bool runs_good_first = true;
    bool receives_first = false;
    double scale = 1;
    double seconds_scale = 1;
    std::function<double(int ranks, double latency_bytes)> break_even = [](int ranks, double latency_bytes) {
        return latency_bytes * ranks / (ranks - 2.0);
    };
    double part = 1;  // share of the gradient that is sent
    bool barrier_each = false;
    bool reports_break_even = true;
    bool clock_in_loop = false;
    bool half_back = false;  // every second rank sends to the left
};

std::vector<double> pass(GPU& gpu, const BadRing& how, std::vector<double> passing, int right, int left) {
    const auto length = static_cast<std::size_t>(how.part * static_cast<double>(passing.size()));
    const std::vector<double> sent(passing.begin(), passing.begin() + static_cast<std::ptrdiff_t>(length));
    if (!how.receives_first) {
        gpu.send(right, sent);
    }
    const auto arrived = gpu.receive<double>(left);
    if (how.receives_first) {
        gpu.send(right, sent);
    }
    std::copy(arrived.begin(), arrived.end(), passing.begin());
    return passing;
}

void run_bad_ring(GPU& gpu, const Given& given, const std::string& size, const BadRing& how) {
    const int ranks = gpu.world_size();
    std::vector<double> gradient(static_cast<std::size_t>(given.whole(size + "_elements")));
    std::iota(gradient.begin(), gradient.end(), given["factor"] * (gpu.rank() + 1));
    if (how.runs_good_first) {
        std::vector<double> copy = gradient;
        sim::collectives::all_reduce(gpu, sim::world(gpu), copy);
    }
    sim::Duration begin = gpu.now();
    std::vector<double> passing = gradient;
    for (int step = 0; step < ranks - 1 - how.steps_less; ++step) {
        if (how.clock_in_loop) {
            begin = gpu.now();
        }
        const int hop = how.half_back && step % 2 == 1 ? -1 : 1;
        passing = pass(gpu, how, passing, (gpu.rank() + hop + ranks) % ranks, (gpu.rank() - hop + ranks) % ranks);
        for (std::size_t i = 0; how.adds && i < gradient.size(); ++i) {
            gradient[i] += passing[i];
        }
        if (how.barrier_each) {
            gpu.barrier();
        }
    }
    for (double& number : gradient) {
        number *= how.scale * (how.doubles_own ? 2 : 1);
    }
    gpu.report(size + "_bad_seconds", how.seconds_scale * sim::seconds(gpu.now() - begin));
    gpu.report(size + "_sum", std::vector<double>{gradient.front(), gradient.back(),
                                                  std::accumulate(gradient.begin(), gradient.end(), 0.0)});
    if (how.reports_break_even) {
        gpu.report("break_even", how.break_even(ranks, given["latency_seconds"] * given["bytes_per_second"]));
    }
}

Program bad_ring(const char* what, const BadRing& how, const char* named = "") {
    return {4, what,
            [how](GPU& gpu, const Given& given) {
                run_bad_ring(gpu, given, "small", how);
                run_bad_ring(gpu, given, "large", how);
            },
            named};
}

}  // namespace

std::vector<Program> of_lab_04();
std::vector<Program> of_lab_04() {
    return {
        bad_ring("a step is missing", {.steps_less = 1}),
        bad_ring("one step alone", {.steps_less = 2}),
        bad_ring("nothing is added", {.adds = false}, "sum-lost"),
        bad_ring("twice the sum", {.doubles_own = true}),
        bad_ring("the mean", {.scale = 0.2}),
        bad_ring("no good ring", {.runs_good_first = false}),
        bad_ring("all receive first", {.receives_first = true}),
        bad_ring("to itself in the end", {.steps_less = -1, .adds = false}),
        bad_ring("seconds in microseconds", {.seconds_scale = 1e6}),
        bad_ring("half of the gradient", {.part = 0.5}),
        bad_ring("a barrier in each step", {.barrier_each = true}),
        bad_ring("no break-even", {.reports_break_even = false}),
        bad_ring("the bytes of a latency as break-even", {.break_even = [](int, double bytes) { return bytes; }}),
        bad_ring("N times the bytes of a latency",
                 {.break_even = [](int ranks, double bytes) { return ranks * bytes; }}),
        bad_ring("N/(N-1) in the break-even",
                 {.break_even = [](int ranks, double bytes) { return bytes * ranks / (ranks - 1.0); }}),
        bad_ring("the clock of the last step", {.clock_in_loop = true}),
        bad_ring("there and back", {.half_back = true}),
        {4, "does nothing", [](GPU& gpu, const Given&) { gpu.barrier(); }},
    };
}

}  // namespace wrong
