// Lab 15: a batch that does not fit is computed in micro-batches, and summed over the ranks once.
#include <libsim/collectives/all_reduce.hpp>
#include <ranks/lab.hpp>

#include <numeric>
#include <vector>

namespace {

using Numbers = std::vector<double>;

// Forward and backward pass over `count` of this rank's items, from its item `first` on. Adds the mean of their
// gradients to `gradient`, as a training library does whose loss is a mean.
[[maybe_unused]] void forward_and_backward(sim::GPU& gpu, const sim::lab::Given& given, Numbers& gradient,
                                           std::int64_t first, std::int64_t count) {
    gpu.compute("forward and backward", sim::Flops{given.whole("fixed_flops") + count * given.whole("flops_per_item")});
    const std::int64_t begin = gpu.rank() * given.whole("items") + first;
    const double mean = given["factor"] * (static_cast<double>(begin + 1) + static_cast<double>(count - 1) / 2);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        gradient[i] += mean + static_cast<double>(i);
    }
}

void step([[maybe_unused]] sim::GPU& gpu, [[maybe_unused]] const sim::lab::Given& given,
          [[maybe_unused]] Numbers& gradient) {
    // The memory that weights and gradient leave free.
    [[maybe_unused]] const std::int64_t free_bytes =
        given.whole("memory_bytes") - 2 * static_cast<std::int64_t>(gradient.size() * sizeof(double));
    // Your lines begin here: find the fewest micro-batches, of equal size, whose activations fit into what is free.
    // Allocate and release the activations of each. Afterwards `gradient` is the mean over all items of all ranks.
    // Starter: sim::lab::gap(gpu, "split the batch, accumulate, and sum once");
    const std::int64_t items = given.whole("items");
    std::int64_t micro_batches = 1;
    while (items % micro_batches != 0 || items / micro_batches * given.whole("bytes_per_item") > free_bytes) {
        ++micro_batches;
    }
    const std::int64_t count = items / micro_batches;
    for (std::int64_t first = 0; first < items; first += count) {
        gpu.allocate("activations", sim::Bytes{count * given.whole("bytes_per_item")});
        forward_and_backward(gpu, given, gradient, first, count);
        gpu.release("activations", sim::Bytes{count * given.whole("bytes_per_item")});
    }
    sim::collectives::all_reduce(gpu, sim::world(gpu), gradient);
    for (double& number : gradient) {
        number /= static_cast<double>(micro_batches * gpu.world_size());
    }
    // Your lines end here.
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    Numbers gradient(static_cast<std::size_t>(given.whole("elements")));
    gpu.allocate("weights", sim::Bytes{8 * given.whole("elements")});
    gpu.allocate("gradient", sim::Bytes{8 * given.whole("elements")});
    step(gpu, given, gradient);
    gpu.report("gradient",
               Numbers{gradient.front(), gradient.back(), std::accumulate(gradient.begin(), gradient.end(), 0.0)});
}

}  // namespace

NDSIM_LAB(program)
