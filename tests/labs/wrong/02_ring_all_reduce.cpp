// Wrong ring all-reduces.
#include "tests/labs/wrong.hpp"

#include "libsim/collectives/all_reduce.hpp"

#include <functional>
#include <span>

namespace wrong {

namespace {

using sim::GPU;
using sim::lab::Given;

// A ring in which each decision can be made differently.
struct Ring {
    std::function<int(int rank, int step, int ranks)> first_chunk = [](int rank, int step, int) { return rank - step; };
    std::function<int(int rank, int step, int ranks)> second_chunk = [](int rank, int step, int) {
        return rank + 1 - step;
    };
    int direction = 1;
    int first_steps_less = 0;
    int second_steps_less = 0;
    bool adds_in_second = false;
    bool replaces_in_first = false;
    bool barrier_between = false;
    double scale = 1;
    bool receives_first = false;
    double extra_flops = 0;
};

std::span<double> chunk_of(std::vector<double>& gradient, int index, int ranks) {
    const std::size_t length = gradient.size() / static_cast<std::size_t>(ranks);
    return std::span(gradient).subspan(static_cast<std::size_t>((index + 8 * ranks) % ranks) * length, length);
}

void run(GPU& gpu, const Given& given, const Ring& ring) {
    const int ranks = gpu.world_size();
    const int rank = ring.direction > 0 ? gpu.rank() : ranks - 1 - gpu.rank();
    const int to = (gpu.rank() + ring.direction + ranks) % ranks;
    const int from = (gpu.rank() - ring.direction + ranks) % ranks;
    std::vector<double> gradient(static_cast<std::size_t>(given.whole("elements")));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        gradient[i] = given["factor"] * (gpu.rank() + 1) + static_cast<double>(i);
    }
    for (int step = 0; step < ranks - 1 - ring.first_steps_less; ++step) {
        if (!ring.receives_first) {
            gpu.send(to, chunk_of(gradient, ring.first_chunk(rank, step, ranks), ranks));
        }
        const auto arrived = gpu.receive<double>(from);
        if (ring.receives_first) {
            gpu.send(to, chunk_of(gradient, ring.first_chunk(rank, step, ranks), ranks));
        }
        const auto mine = chunk_of(gradient, ring.first_chunk(rank, step, ranks) - 1, ranks);
        for (std::size_t i = 0; i < mine.size(); ++i) {
            mine[i] = arrived[i] + (ring.replaces_in_first ? 0 : mine[i]);
        }
    }
    if (ring.barrier_between) {
        gpu.barrier();
    }
    if (ring.extra_flops > 0) {
        gpu.compute("add", sim::Flops{static_cast<std::int64_t>(ring.extra_flops)});
    }
    for (int step = 0; step < ranks - 1 - ring.second_steps_less; ++step) {
        gpu.send(to, chunk_of(gradient, ring.second_chunk(rank, step, ranks), ranks));
        const auto arrived = gpu.receive<double>(from);
        const auto mine = chunk_of(gradient, ring.second_chunk(rank, step, ranks) - 1, ranks);
        for (std::size_t i = 0; i < mine.size(); ++i) {
            mine[i] = arrived[i] + (ring.adds_in_second ? mine[i] : 0);
        }
    }
    for (double& number : gradient) {
        number *= ring.scale;
    }
    gpu.report("gradient", gradient);
}

Program of(const char* what, const Ring& ring, const char* named = "") {
    return {2, what, [ring](GPU& gpu, const Given& given) { run(gpu, given, ring); }, named};
}

}  // namespace

std::vector<Program> of_lab_02();
std::vector<Program> of_lab_02() {
    std::vector<Program> programs{
        of("the mean in place of the sum", {.scale = 0.25}),
        of("nothing is added in the first half", {.replaces_in_first = true}),
        of("the second half adds, too", {.adds_in_second = true}),
        of("one step less in the first half", {.first_steps_less = 1}),
        of("one step less in the second half", {.second_steps_less = 1}),
        of("one step less in both", {.first_steps_less = 1, .second_steps_less = 1}),
        of("a barrier between the halves", {.barrier_between = true}),
        of("all receive first", {.receives_first = true}),
        of("the second half begins with the own chunk",
           {.second_chunk = [](int rank, int step, int) { return rank - step; }}),
        of("always the same chunk", {.first_chunk = [](int rank, int, int) { return rank; }}),
        of("the first half alone", {.second_steps_less = 100}, "half-a-ring"),
        of("computes between the halves", {.extra_flops = 1e6}),
    };
    programs.push_back({2, "does nothing", [](GPU& gpu, const Given& given) {
                            gpu.report("gradient", static_cast<double>(given.whole("elements")));
                        }});
    programs.push_back({2, "reports nothing", [](GPU& gpu, const Given&) { gpu.barrier(); }});
    return programs;
}

}  // namespace wrong
