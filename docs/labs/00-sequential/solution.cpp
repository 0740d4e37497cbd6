// Lab 0: a step on one GPU, item by item.
#include <ranks/lab.hpp>

namespace {

// The part of the gradient that one item adds.
[[maybe_unused]] double gradient_of(std::int64_t item, const sim::lab::Given& given) {
    return given["factor"] * static_cast<double>(item + 1);
}

void program([[maybe_unused]] sim::GPU& gpu, [[maybe_unused]] const sim::lab::Given& given) {
    // Your lines begin here: let the GPU compute each item, add up the items' gradients, and report the sum as
    // "gradient" and the simulated time as "seconds".
    // Starter: sim::lab::gap(gpu, "compute the items here");
    double gradient = 0;
    for (std::int64_t item = 0; item < given.whole("items"); ++item) {
        gpu.compute("item", sim::Units{given["units"]});
        gradient += gradient_of(item, given);
    }
    gpu.report("gradient", gradient);
    gpu.report("seconds", sim::seconds(gpu.now()));
    // Your lines end here.
}

}  // namespace

NDSIM_LAB(program)
