// Wrong choices between a ring and a tree, and wrong trees.
#include "tests/labs/wrong.hpp"

#include "libsim/collectives/all_reduce.hpp"

#include <cmath>
#include <functional>
#include <numeric>

namespace wrong {

namespace {

using sim::GPU;
using sim::lab::Given;
using Numbers = std::vector<double>;

double right_crossover(int ranks, double latency_bytes) {
    return latency_bytes * (ranks - 1 - std::log2(ranks)) / (std::log2(ranks) - (ranks - 1.0) / ranks);
}

// A choice and a tree in which each decision can be made differently.
struct Chosen {
    std::function<double(int ranks, double latency_bytes)> crossover = right_crossover;
    std::function<double(double right)> notes = [](double right) { return right; };
    bool goes_up = true;
    bool goes_down = true;
    bool adds = true;
    bool adds_downwards = false;
    bool barrier = false;
    bool half_the_ranks = false;  // the tree's last level is missing
    bool chain = false;           // a chain from rank to rank
    double scale = 1;
    sim::Algorithm for_large = sim::Algorithm::ring;
    int last_size = 3;
};

void receive_sum(GPU& gpu, Numbers& gradient, int source, bool adds) {
    const auto arrived = gpu.receive<double>(source);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        gradient[i] = arrived[i] + (adds ? gradient[i] : 0);
    }
}

void climb(GPU& gpu, Numbers& gradient, const Chosen& how) {
    const int ranks = how.half_the_ranks ? gpu.world_size() / 2 : gpu.world_size();
    for (int distance = 1; how.goes_up && distance < ranks; distance *= 2) {
        if (gpu.rank() % (2 * distance) == distance) {
            gpu.send(gpu.rank() - distance, gradient);
        } else if (gpu.rank() % (2 * distance) == 0) {
            receive_sum(gpu, gradient, gpu.rank() + distance, how.adds);
        }
    }
    if (how.barrier) {
        gpu.barrier();
    }
    for (int distance = ranks / 2; how.goes_down && distance > 0; distance /= 2) {
        if (gpu.rank() % (2 * distance) == 0) {
            gpu.send(gpu.rank() + distance, gradient);
        } else if (gpu.rank() % (2 * distance) == distance) {
            receive_sum(gpu, gradient, gpu.rank() - distance, how.adds_downwards);
        }
    }
}

void along_a_chain(GPU& gpu, Numbers& gradient) {
    const int last = gpu.world_size() - 1;
    if (gpu.rank() > 0) {
        receive_sum(gpu, gradient, gpu.rank() - 1, true);
    }
    if (gpu.rank() < last) {
        gpu.send(gpu.rank() + 1, gradient);
        receive_sum(gpu, gradient, gpu.rank() + 1, false);
    }
    if (gpu.rank() > 0) {
        gpu.send(gpu.rank() - 1, gradient);
    }
}

void choose(GPU& gpu, const Given& given, const Chosen& how) {
    const char* const names[] = {"small", "middle", "large"};
    const double latency_bytes = given["latency_seconds"] * given["bytes_per_second"];
    const double crossover = how.crossover(gpu.world_size(), latency_bytes);
    gpu.report("crossover", how.notes(crossover));
    for (int size = 0; size < how.last_size; ++size) {
        const std::string name = names[size];
        Numbers gradient(static_cast<std::size_t>(given.whole(name + "_elements")));
        std::iota(gradient.begin(), gradient.end(), given["factor"] * (gpu.rank() + 1));
        if (static_cast<double>(8 * gradient.size()) > crossover) {
            sim::collectives::all_reduce(gpu, sim::world(gpu), gradient, {}, sim::Reduction::sum, {how.for_large});
        } else if (how.chain) {
            along_a_chain(gpu, gradient);
        } else {
            climb(gpu, gradient, how);
        }
        for (double& number : gradient) {
            number *= how.scale;
        }
        gpu.report(name,
                   Numbers{gradient.front(), gradient.back(), std::accumulate(gradient.begin(), gradient.end(), 0.0)});
    }
}

Program chosen(const char* what, const Chosen& how, const char* named = "") {
    return {3, what, [how](GPU& gpu, const Given& given) { choose(gpu, given, how); }, named};
}

}  // namespace

std::vector<Program> of_lab_03();
std::vector<Program> of_lab_03() {
    return {
        chosen("the crossover in elements", {.notes = [](double right) { return right / 8; }}),
        chosen("the crossover in kilobytes", {.notes = [](double right) { return right / 1000; }}),
        chosen("the bytes of a latency as the crossover", {.crossover = [](int, double bytes) { return bytes; }}),
        chosen("a crossover that grows with the ranks",
               {.crossover = [](int ranks, double bytes) { return ranks * bytes; }}),
        chosen("a ring of N steps in the crossover",
               {.crossover = [](int ranks,
                                double bytes) { return bytes * (ranks - std::log2(ranks)) / (std::log2(ranks) - 1); }}),
        chosen("the tree in N-1 steps", {.chain = true}),
        chosen("the tree goes up only", {.goes_down = false}),
        chosen("the tree goes down only", {.goes_up = false}),
        chosen("the last child wins", {.adds = false}),
        chosen("it adds on the way down, too", {.adds_downwards = true}),
        chosen("a barrier at the top", {.barrier = true}),
        chosen("the last level is missing", {.half_the_ranks = true}),
        chosen("the mean", {.scale = 0.125}),
        chosen("a direct all-reduce for large sizes", {.for_large = sim::Algorithm::direct}),
        chosen("a parameter server for large sizes", {.for_large = sim::Algorithm::parameter_server}),
        chosen("the large gradient is left out", {.last_size = 2}),
        chosen("the tree for all, with a crossover that says so",
               {.crossover = [](int, double bytes) { return 1000 * bytes; }}, "always-the-tree"),
        {3, "does nothing", [](GPU& gpu, const Given&) { gpu.barrier(); }},
    };
}

}  // namespace wrong
