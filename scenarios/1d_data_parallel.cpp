// 1D: data parallel. Every rank has a copy of the model and a share of the items; gradients are summed over all ranks.
//
// With n ranks, a step costs the largest share of the items, then a ring all-reduce of the gradient: 2 (n-1) steps, in
// each of which a rank sends 1/n of it to its right and receives as much from its left.
//
//   time of a step = largest share x compute units x seconds per unit
//                  + 2 (n-1) x (latency + gradient units / n x seconds per data unit + acknowledgement)
//                  = 4 x 2 s + 6 x (0.05 s + 1.25 s + 0.05 s) = 16.1 s with the defaults, on 4 ranks
//
// Half of the time is communication: 4 GPUs are not quite 2 times as fast as one. Options help: overlap with the
// backward pass (--overlap --buckets 4), less data (--compress), another algorithm (--synchronize), rarer exchanges, of
// models instead of gradients (--local-steps); and --zero saves the memory that the copies cost.
#include "scenarios/options/scenario.hpp"

int main(int argc, char** argv) {
    const sim::scenarios::Scenario scenario{
        .name = "1d_data_parallel",
        .summary = "1D: trains the model of 0D on several simulated GPUs, each with a share of the items.",
        .axes = {{"dp", 4}},
        .item_by_item = true,
        .examples =
            {"1d_data_parallel                             # 4 ranks: 16.1 s simulated, where 0D takes 32 s",
             "1d_data_parallel --ranks 8 --quiet           # is twice the number of GPUs twice as fast?",
             "1d_data_parallel --overlap --buckets 4       # gradients leave while the next ones are computed",
             "1d_data_parallel --steps 8 --local-steps 4   # every rank trains a model of its own, 4 steps long",
             "1d_data_parallel --zero 3 --optimizer adam   # each rank keeps a quarter of everything",
             "1d_data_parallel --trace trace.json          # a picture of it: open it at ui.perfetto.dev"},
    };
    return sim::scenarios::run(scenario, argc, argv);
}
