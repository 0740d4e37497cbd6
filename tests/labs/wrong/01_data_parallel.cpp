// Wrong data-parallel steps.
#include "tests/labs/wrong.hpp"

#include <functional>

namespace wrong {

namespace {

using sim::GPU;
using sim::Units;
using sim::lab::Given;

// A step through rank 0 in which each decision can be made differently.
struct Served {
    std::function<int(int rank, int ranks)> first_item = [](int rank, int) { return rank; };
    std::function<int(int items, int ranks)> end_item = [](int items, int) { return items; };
    std::function<int(int ranks)> stride = [](int ranks) { return ranks; };
    double units_scale = 1;
    double size_scale = 1;
    double report_scale = 1;
    double own_scale = 1;      // rank 0's factor for its own gradient
    bool adds = true;          // if false, rank 0 keeps the last gradient
    bool workers_add = false;  // workers add the sum to their own gradient
    bool rank_0_works = true;
    bool barrier = false;
    bool by_bytes = false;  // the messages are priced in bytes
    int skipped_worker = -1;
    double server_units = 0;  // computed by rank 0 between the loops
};

void exchange(GPU& gpu, const Given& given, const Served& how, std::vector<double>& gradient) {
    const Units size{given["gradient_units"] * how.size_scale};
    const auto cost = how.by_bytes ? std::nullopt : std::optional<sim::Size>(size);
    if (gpu.rank() != 0) {
        if (gpu.rank() != how.skipped_worker) {
            gpu.send(0, gradient, "gradient", cost);
        }
        const auto sum = gpu.receive<double>(0, "sum", cost);
        for (std::size_t i = 0; i < sum.size(); ++i) {
            gradient[i] = sum[i] + (how.workers_add ? gradient[i] : 0);
        }
        return;
    }
    for (double& number : gradient) {
        number *= how.own_scale;
    }
    for (int worker = 1; worker < gpu.world_size(); ++worker) {
        if (worker != how.skipped_worker) {
            const auto arrived = gpu.receive<double>(worker, "gradient", cost);
            for (std::size_t i = 0; i < gradient.size(); ++i) {
                gradient[i] = arrived[i] + (how.adds ? gradient[i] : 0);
            }
        }
    }
    if (how.server_units > 0) {
        gpu.compute("add", Units{how.server_units});
    }
    for (int worker = 1; worker < gpu.world_size(); ++worker) {
        gpu.send(worker, gradient, "sum", cost);
    }
}

void serve(GPU& gpu, const Given& given, const Served& how) {
    const int ranks = gpu.world_size();
    const int items = static_cast<int>(given.whole("items"));
    std::vector<double> gradient(4);
    for (int item = how.first_item(gpu.rank(), ranks);
         (gpu.rank() != 0 || how.rank_0_works) && item < how.end_item(items, ranks); item += how.stride(ranks)) {
        gpu.compute("item", Units{given["units"] * how.units_scale});
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            gradient[i] += given["factor"] * (item + 1) + static_cast<double>(i);
        }
    }
    if (how.barrier) {
        gpu.barrier();
    }
    exchange(gpu, given, how, gradient);
    for (double& number : gradient) {
        number *= how.report_scale / items;
    }
    gpu.report("mean gradient", gradient);
}

Program served(const char* what, const Served& how, const char* named = "") {
    return {1, what, [how](GPU& gpu, const Given& given) { serve(gpu, given, how); }, named};
}

// Every rank sends to every other.
void all_to_all(GPU& gpu, const Given& given) {
    const Units size{given["gradient_units"]};
    std::vector<double> gradient(4, 1.0);
    for (int other = 0; other < gpu.world_size(); ++other) {
        if (other != gpu.rank()) {
            gpu.send(other, gradient, "gradient", size);
        }
    }
    for (int other = 0; other < gpu.world_size(); ++other) {
        if (other != gpu.rank()) {
            gpu.receive(other, gradient, "gradient", size);
        }
    }
    gpu.report("mean gradient", gradient);
}

}  // namespace

std::vector<Program> of_lab_01();
std::vector<Program> of_lab_01() {
    return {
        served("all compute the first share", {.first_item = [](int, int) { return 0; }}),
        served("every item but the first", {.first_item = [](int rank, int) { return rank + 1; }}),
        served("rank 0 computes nothing", {.rank_0_works = false}),
        served("half of the items", {.stride = [](int ranks) { return 2 * ranks; }}),
        served("the last round of items is missing", {.end_item = [](int items, int ranks) { return items - ranks; }}),
        served("twice the units", {.units_scale = 2}),
        served("half the message", {.size_scale = 0.5}),
        served("the message costs its bytes", {.by_bytes = true}),
        served("the sum in place of the mean", {.report_scale = 16}),
        served("rank 0 leaves itself out", {.own_scale = 0}),
        served("rank 0 counts itself twice", {.own_scale = 2}),
        served("the last gradient in place of the sum", {.adds = false}),
        served("workers add the sum to their own", {.workers_add = true}),
        served("a barrier before the exchange", {.barrier = true}),
        served("one worker sends nothing", {.skipped_worker = 2}),
        served("rank 0 computes, too", {.server_units = 3}),
        served("every rank computes all items",
               {.first_item = [](int, int) { return 0; }, .stride = [](int) { return 1; }},
               "every-rank-computes-all-items"),
        {1, "everybody sends to everybody", all_to_all},
        {1, "reports nothing", [](GPU& gpu, const Given&) { gpu.barrier(); }},
    };
}

}  // namespace wrong
