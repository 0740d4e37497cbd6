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
    sim::lab::gap(gpu, "split the batch, accumulate, and sum once");
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
