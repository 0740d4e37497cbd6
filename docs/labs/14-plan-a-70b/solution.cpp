// Lab 14: the layout with which 64 GPUs train a model of 70 billion parameters.
#include <ranks/lab.hpp>

namespace {

// dp is what the others leave of the GPUs.
struct Layout {
    double tp = 1;
    double cp = 1;
    double pp = 1;
    double interleave = 1;  // chunks of the model on each pipeline stage
    double micro_batch = 1;
    double zero = 0;       // 0 to 3
    double recompute = 0;  // 1: all activations are computed again in the backward pass
};

Layout plan([[maybe_unused]] sim::GPU& gpu, [[maybe_unused]] const sim::lab::Given& given) {
    Layout layout;
    // Your lines begin here: choose a layout that fits into given["memory_bytes"] and is within 5 % of the fastest. It
    // has to work for other sequences, batches and GPUs, too: compute it from what is given.
    // Starter: sim::lab::gap(gpu, "choose a layout here");
    layout.cp = given["sequence"] / 4096;  // 4,096 tokens are enough for efficient kernels
    if (given["h100"] == 0) {
        // ZeRO 3's collectives run all the time, and slow an A100's kernels down: spread the layers over stages.
        layout.tp = given["gpus_per_node"] / 2;
        layout.pp = 4;
        layout.interleave = 4;
        layout.zero = 1;
        return layout;
    }
    layout.zero = 3;  // the states over all GPUs that do not share a layer
    const double states = 18 * given["parameters"] / given["gpus"];
    const double kept = 34 * given["sequence"] / layout.cp * given["hidden"] * given["layers"];  // bytes of activations
    // Tensor parallelism costs communication in every layer: no more of it than the memory asks for.
    while (states + kept / layout.tp > 0.9 * given["memory_bytes"] && layout.tp < given["gpus_per_node"]) {
        layout.tp *= 2;
    }
    // Your lines end here.
    return layout;
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    const Layout layout = plan(gpu, given);
    gpu.report("tp", layout.tp);
    gpu.report("cp", layout.cp);
    gpu.report("pp", layout.pp);
    gpu.report("interleave", layout.interleave);
    gpu.report("micro_batch", layout.micro_batch);
    gpu.report("zero", layout.zero);
    gpu.report("recompute", layout.recompute);
}

}  // namespace

NDSIM_LAB(program)
