// Wrong gradient accumulation.
#include "tests/labs/wrong.hpp"

#include "libsim/collectives/all_reduce.hpp"

#include <functional>
#include <numeric>

namespace wrong {

namespace {

using sim::Bytes;
using sim::GPU;
using sim::lab::Given;

std::int64_t fewest_that_fit(std::int64_t items, std::int64_t item_bytes, std::int64_t free_bytes) {
    std::int64_t number = 1;
    while (items % number != 0 || items / number * item_bytes > free_bytes) {
        ++number;
    }
    return number;
}

// A step in which each decision can be made differently.
struct Accumulating {
    std::function<std::int64_t(std::int64_t fewest, std::int64_t items)> micro_batches =
        [](std::int64_t fewest, std::int64_t) { return fewest; };
    double allocated_scale = 1;
    bool releases = true;
    bool keeps_one = false;  // releases the activations of the previous micro-batch
    bool sums = true;
    bool adds = true;  // if false, only the last micro-batch's gradient remains
    double divisor_scale = 1;
    bool divides_by_items = false;
    bool last_missing = false;
    bool same_items = false;  // every micro-batch has the first one's items
    double flops_scale = 1;
    sim::Algorithm algorithm = sim::Algorithm::ring;
    sim::Reduction reduction = sim::Reduction::sum;
    bool barrier_each = false;
    bool sums_first = false;
    bool copies = false;  // a second gradient is allocated
};

void add_items(GPU& gpu, const Given& given, const Accumulating& how, std::vector<double>& gradient, std::int64_t first,
               std::int64_t count) {
    gpu.compute("forward and backward",
                sim::Flops{static_cast<std::int64_t>(
                    how.flops_scale * (given["fixed_flops"] + static_cast<double>(count) * given["flops_per_item"]))});
    const auto begin = static_cast<double>(gpu.rank() * given.whole("items") + (how.same_items ? 0 : first));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        const double mean = given["factor"] * (begin + 1 + static_cast<double>(count - 1) / 2) + static_cast<double>(i);
        gradient[i] = mean + (how.adds ? gradient[i] : 0);
    }
}

void split_up(GPU& gpu, const Given& given, const Accumulating& how, std::vector<double>& gradient,
              std::int64_t count) {
    const std::int64_t items = given.whole("items");
    const Bytes activations{
        static_cast<std::int64_t>(how.allocated_scale * static_cast<double>(count) * given["bytes_per_item"])};
    for (std::int64_t first = 0; first + (how.last_missing ? count : 0) < items; first += count) {
        gpu.allocate("activations", activations);
        if (how.keeps_one && first > 0) {
            gpu.release("activations", activations);
        }
        add_items(gpu, given, how, gradient, first, count);
        if (how.releases && !how.keeps_one) {
            gpu.release("activations", activations);
        }
        if (how.barrier_each) {
            gpu.barrier();
        }
    }
}

void accumulate(GPU& gpu, const Given& given, const Accumulating& how) {
    const Bytes bytes{8 * given.whole("elements")};
    const std::int64_t items = given.whole("items");
    const std::int64_t fewest =
        fewest_that_fit(items, given.whole("bytes_per_item"), given.whole("memory_bytes") - 2 * bytes.count);
    const std::int64_t micro_batches = how.micro_batches(fewest, items);
    std::vector<double> gradient(static_cast<std::size_t>(given.whole("elements")));
    gpu.allocate("weights", bytes);
    gpu.allocate("gradient", (how.copies ? 2 : 1) * bytes);
    const auto sum = [&] {
        sim::collectives::all_reduce(gpu, sim::world(gpu), gradient, {}, how.reduction, {how.algorithm});
    };
    if (how.sums_first) {
        sum();
    }
    split_up(gpu, given, how, gradient, items / micro_batches);
    if (how.sums && !how.sums_first) {
        sum();
    }
    const auto parts = static_cast<double>(how.divides_by_items ? items : micro_batches);
    for (double& number : gradient) {
        number /= how.divisor_scale * parts * gpu.world_size();
    }
    gpu.report("gradient", std::vector<double>{gradient.front(), gradient.back(),
                                               std::accumulate(gradient.begin(), gradient.end(), 0.0)});
}

Program accumulating(const char* what, const Accumulating& how, const char* named = "") {
    return {15, what, [how](GPU& gpu, const Given& given) { accumulate(gpu, given, how); }, named};
}

}  // namespace

std::vector<Program> of_lab_15();
std::vector<Program> of_lab_15() {
    return {
        accumulating("twice as many micro-batches as needed",
                     {.micro_batches = [](std::int64_t fewest, std::int64_t) { return 2 * fewest; }}),
        accumulating("always four micro-batches", {.micro_batches = [](std::int64_t, std::int64_t) { return 4; }}),
        accumulating("half of the activations", {.allocated_scale = 0.5}),
        accumulating("twice the activations", {.allocated_scale = 2}),
        accumulating("two micro-batches at a time", {.keeps_one = true}),
        accumulating("no sum over the ranks", {.sums = false}),
        accumulating("the last micro-batch wins", {.adds = false}),
        accumulating("half of the mean", {.divisor_scale = 2}),
        accumulating("divides by the items", {.divides_by_items = true}),
        accumulating("the last micro-batch is missing", {.last_missing = true}),
        accumulating("the first micro-batch again and again", {.same_items = true}),
        accumulating("no fixed part", {.flops_scale = 0.9}),
        accumulating("direct", {.algorithm = sim::Algorithm::direct}),
        accumulating("averages and divides", {.reduction = sim::Reduction::average}),
        accumulating("a barrier after each", {.barrier_each = true}),
        accumulating("sums before it computes", {.sums_first = true}),
        accumulating("a second gradient", {.copies = true}),
        accumulating("nothing is released", {.releases = false}, "activations-kept"),
        {15, "does nothing", [](GPU& gpu, const Given&) { gpu.barrier(); }},
    };
}

}  // namespace wrong
