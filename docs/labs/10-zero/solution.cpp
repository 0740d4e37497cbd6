// Lab 10: one training step whose states are spread over the ranks, as ZeRO does it.
#include <libsim/collectives/all_gather.hpp>
#include <libsim/collectives/all_reduce.hpp>
#include <libsim/collectives/reduce_scatter.hpp>
#include <ranks/lab.hpp>

namespace {

using sim::Bytes;

struct Model {
    std::int64_t layers;
    std::int64_t parameters;  // of one layer
    std::int64_t tokens;      // of this rank's share of the batch
};

void forward(sim::GPU& gpu, const Model& model) {
    gpu.compute("forward", sim::Flops{2 * model.parameters * model.tokens});
}

void backward(sim::GPU& gpu, const Model& model) {
    gpu.compute("backward", sim::Flops{4 * model.parameters * model.tokens});
}

// Plain data parallelism, to look at: every rank holds everything, 18 bytes for each parameter.
[[maybe_unused]] void replicated(sim::GPU& gpu, const Model& model) {
    const std::int64_t all = model.layers * model.parameters;
    gpu.allocate("parameters", Bytes{2 * all});
    gpu.allocate("gradients", Bytes{4 * all});
    gpu.allocate("optimizer", Bytes{12 * all});
    for (int layer = 0; layer < model.layers; ++layer) {
        forward(gpu, model);
    }
    for (int layer = 0; layer < model.layers; ++layer) {
        backward(gpu, model);
        sim::all_reduce(gpu, sim::world(gpu), Bytes{2 * model.parameters});
    }
}

void sharded(sim::GPU& gpu, [[maybe_unused]] const Model& model, [[maybe_unused]] std::int64_t zero) {
    // Your lines begin here: the same step, with the states spread over the ranks as ZeRO 1, 2 or 3 does. Collectives
    // are of one layer each: sim::all_gather and sim::reduce_scatter are called as sim::all_reduce above.
    // Starter: sim::lab::gap(gpu, "write ZeRO's step here");
    const std::int64_t ranks = gpu.world_size();
    const std::int64_t all = model.layers * model.parameters;
    gpu.allocate("parameters", Bytes{2 * all / (zero == 3 ? ranks : 1)});
    gpu.allocate("gradients", Bytes{4 * all / (zero >= 2 ? ranks : 1)});
    gpu.allocate("optimizer", Bytes{12 * all / ranks});
    const Bytes layer{2 * model.parameters};
    const auto with_parameters = [&](auto work) {
        if (zero == 3) {
            gpu.allocate("gathered", layer);
            sim::all_gather(gpu, sim::world(gpu), layer);
        }
        work(gpu, model);
        if (zero == 3) {
            gpu.release("gathered", layer);
        }
    };
    for (int i = 0; i < model.layers; ++i) {
        with_parameters(forward);
    }
    for (int i = 0; i < model.layers; ++i) {
        with_parameters(backward);
        sim::reduce_scatter(gpu, sim::world(gpu), layer);
    }
    for (int i = 0; zero < 3 && i < model.layers; ++i) {
        sim::all_gather(gpu, sim::world(gpu), layer);
    }
    // Your lines end here.
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    const Model model{given.whole("layers"), given.whole("parameters"), given.whole("tokens")};
    sharded(gpu, model, given.whole("zero"));
}

}  // namespace

NDSIM_LAB(program)
