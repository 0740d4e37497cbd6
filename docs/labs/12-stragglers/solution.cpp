// Lab 12: a slow GPU gets less work, and checkpoints come as often as failures make it worth while.
#include <libsim/collectives/all_reduce.hpp>
#include <ranks/lab.hpp>

#include <cmath>
#include <vector>

namespace {

using Numbers = std::vector<double>;

// How many times as long a rank takes for an item.
double slowdown_of(const sim::lab::Given& given, int rank) {
    return rank == given.whole("slow_rank") ? given["slowdown"] : 1;
}

// Computes items first, first + 1, … first + count - 1. Returns the sum of their gradients.
Numbers gradient_of_items(sim::GPU& gpu, const sim::lab::Given& given, int first, int count) {
    gpu.compute("items", sim::Flops{count * given.whole("flops_per_item")});
    Numbers sum(static_cast<std::size_t>(given.whole("elements")));
    for (int item = first; item < first + count; ++item) {
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += item + 1 + static_cast<double>(i % 3);
        }
    }
    return sum;
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    [[maybe_unused]] const int items = static_cast<int>(given.whole("items"));
    Numbers gradient;     // the mean over all items, on every rank
    double interval = 0;  // seconds from one checkpoint to the next
    // Your lines begin here: a share of the items for each rank, so that all end at the same time; the mean of the
    // gradients of all items; and Young's interval for the cluster that this model will be trained on.
    // Starter: sim::lab::gap(gpu, "write the shares, the mean and the interval here");
    double speeds = 0;
    for (int rank = 0; rank < gpu.world_size(); ++rank) {
        speeds += 1 / slowdown_of(given, rank);
    }
    int first = 0;
    int count = 0;
    for (int rank = 0; rank <= gpu.rank(); ++rank) {
        first += count;
        count = static_cast<int>(std::lround(items / slowdown_of(given, rank) / speeds));
    }
    gradient = gradient_of_items(gpu, given, first, count);
    sim::collectives::all_reduce(gpu, sim::world(gpu), gradient);
    for (double& number : gradient) {
        number /= items;
    }
    const double between_failures = given["gpu_hours_between_failures"] * 3600 / given["cluster_gpus"];
    interval = std::sqrt(2 * given["checkpoint_seconds"] * between_failures);
    // Your lines end here.
    gpu.report("gradient", gradient);
    gpu.report("checkpoint interval", interval);
}

}  // namespace

NDSIM_LAB(program)
