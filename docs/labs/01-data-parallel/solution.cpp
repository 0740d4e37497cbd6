// Lab 1: data parallelism whose gradients go through rank 0.
#include <ranks/lab.hpp>

#include <vector>

namespace {

// The gradient of one item: four numbers, which stand for given["gradient_units"] units of data.
[[maybe_unused]] std::vector<double> gradient_of(std::int64_t item, const sim::lab::Given& given) {
    const double first = given["factor"] * static_cast<double>(item + 1);
    return {first, first + 1, first + 2, first + 3};
}

[[maybe_unused]] void add(std::vector<double>& sum, const std::vector<double>& more) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += more[i];
    }
}

// Afterwards `gradient`, which is 0 at first, is the sum over all items, on every rank.
void step([[maybe_unused]] sim::GPU& gpu, [[maybe_unused]] const sim::lab::Given& given,
          [[maybe_unused]] std::vector<double>& gradient) {
    // Your lines begin here: compute your share of the items. The ranks send their gradients to rank 0, which adds
    // them up and sends the sum to each.
    // Starter: sim::lab::gap(gpu, "share the items, and add up the gradients on rank 0");
    const int ranks = gpu.world_size();
    const sim::Units size{given["gradient_units"]};
    for (std::int64_t item = gpu.rank(); item < given.whole("items"); item += ranks) {
        gpu.compute("item", sim::Units{given["units"]});
        add(gradient, gradient_of(item, given));
    }
    if (gpu.rank() == 0) {
        for (int worker = 1; worker < ranks; ++worker) {
            add(gradient, gpu.receive<double>(worker, "gradient", size));
        }
        for (int worker = 1; worker < ranks; ++worker) {
            gpu.send(worker, gradient, "sum", size);
        }
    } else {
        gpu.send(0, gradient, "gradient", size);
        gpu.receive(0, gradient, "sum", size);
    }
    // Your lines end here.
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    std::vector<double> gradient(4);
    step(gpu, given, gradient);
    for (double& number : gradient) {
        number /= given["items"];
    }
    gpu.report("mean gradient", gradient);
}

}  // namespace

NDSIM_LAB(program)
