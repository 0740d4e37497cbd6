// Lab 5: the gradients of some layers are summed while those of others are computed.
#include <libsim/collectives/all_reduce.hpp>
#include <ranks/lab.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace {

using Numbers = std::vector<double>;

std::span<double> layers_of(Numbers& gradients, std::int64_t first, std::int64_t count, const sim::lab::Given& given) {
    const std::int64_t length = given.whole("elements");
    return std::span(gradients).subspan(static_cast<std::size_t>(first * length),
                                        static_cast<std::size_t>(count * length));
}

// The backward pass of one layer, which leaves the layer's gradient.
[[maybe_unused]] void backward(sim::GPU& gpu, const sim::lab::Given& given, Numbers& gradients, std::int64_t layer) {
    gpu.compute("backward " + std::to_string(layer), sim::Flops{given.whole("backward_flops")});
    const double number = given["factor"] * (gpu.rank() + 1) + static_cast<double>(layer);
    std::ranges::fill(layers_of(gradients, layer, 1, given), number);
}

// Starts the sum over all ranks of `count` layers from `first` on, beside the program. Wait for what it returns.
[[maybe_unused]] sim::Handle start_sum(sim::GPU& gpu, const sim::lab::Given& given, Numbers& gradients,
                                       std::int64_t first, std::int64_t count) {
    return gpu.on(sim::Stream{1}, [&] {
        sim::collectives::all_reduce(gpu, sim::world(gpu), layers_of(gradients, first, count, given));
    });
}

void backward_pass([[maybe_unused]] sim::GPU& gpu, [[maybe_unused]] const sim::lab::Given& given,
                   [[maybe_unused]] Numbers& gradients) {
    // Your lines begin here: from the last layer to the first, compute, and start the sum of a bucket of
    // given["bucket_layers"] layers as soon as its last gradient is there. Return when all sums have ended.
    // Starter: sim::lab::gap(gpu, "compute the layers, and sum their gradients beside that");
    const std::int64_t in_a_bucket = given.whole("bucket_layers");
    std::vector<sim::Handle> sums;
    for (std::int64_t layer = given.whole("layers") - 1; layer >= 0; --layer) {
        backward(gpu, given, gradients, layer);
        if (layer % in_a_bucket == 0) {
            sums.push_back(start_sum(gpu, given, gradients, layer, in_a_bucket));
        }
    }
    for (const sim::Handle& sum : sums) {
        gpu.wait(sum);
    }
    // Your lines end here.
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    Numbers gradients(static_cast<std::size_t>(given.whole("layers") * given.whole("elements")));
    gpu.compute("forward", sim::Flops{given.whole("forward_flops")});
    backward_pass(gpu, given, gradients);
    gpu.compute("update", sim::Flops{given.whole("update_flops")});
    Numbers sums;
    for (std::int64_t layer = 0; layer < given.whole("layers"); ++layer) {
        const std::span<double> gradient = layers_of(gradients, layer, 1, given);
        sums.push_back(std::accumulate(gradient.begin(), gradient.end(), 0.0));
    }
    gpu.report("sums", sums);
}

}  // namespace

NDSIM_LAB(program)
