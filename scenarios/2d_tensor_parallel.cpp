// 2D: tensor parallel. Every layer is split: each rank has some of the attention heads and part of the MLP's width.
//
// A rank computes 1/tp of every layer, from the whole input to a partial sum of the output; an all-reduce after
// attention and after the MLP adds up the partial sums, and in the backward pass one before each of them adds up the
// input's gradients. Four all-reduces of all positions' activations per layer and micro-batch:
//
//   time of a step = items x compute units / tp x seconds per unit
//                  + micro-batches x layers x 4 x 2 (tp-1) x (latency + S / tp x seconds per data unit +
//                  acknowledgement)
//                    with S = items of a micro-batch x activation units
//                  = 8 s + 4 x 4 x 4 x 6 x 0.6 s = 238.4 s with the defaults, on 4 ranks
//
// Over the network of gpu-py that is slower than a single GPU: tensor parallelism needs the fast links within a node.
// With --dp 2, two such groups share the items, and sum their gradients as in 1D.
#include "scenarios/options/scenario.hpp"

int main(int argc, char** argv) {
    const sim::scenarios::Scenario scenario{
        .name = "2d_tensor_parallel",
        .summary = "2D: trains the model of 0D with every layer split over several simulated GPUs.",
        .axes = {{"tp", 4}, {"dp", 1}},
        .examples = {"2d_tensor_parallel --quiet                     # 4 ranks, each with one of the 4 heads",
                     "2d_tensor_parallel --ranks 2 --dp 2 --quiet    # 2 x 2: split layers, and split items",
                     "2d_tensor_parallel --sequence-parallel --quiet # norms and their memory split as well",
                     "2d_tensor_parallel --activation-units 0        # what the latencies alone cost: 46.4 s"},
    };
    return sim::scenarios::run(scenario, argc, argv);
}
