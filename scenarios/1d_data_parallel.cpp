// 1D: data parallel. Every rank has a copy of the model and a share of the items; gradients are summed over all ranks.
//
// With n ranks, a step costs the largest share of the items, then a ring all-reduce of the gradient: 2 (n-1) steps, in
// each of which a rank sends 1/n of it to its right and receives as much from its left.
//
//   time of a step = largest share x compute units x seconds per unit
//                  + 2 (n-1) x (latency + gradient units / n x seconds per data unit + acknowledgement)
//                  = 4 x 2 s + 6 x (0.05 s + 1.25 s + 0.05 s) = 16.1 s with the defaults, on 4 ranks
//
// Half of the time is communication: 4 GPUs are not quite 2 times as fast as one.
#include "libsim/collectives/all_reduce.hpp"
#include "scenarios/options/options.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/training/alone.hpp"
#include "scenarios/training/items.hpp"
#include "scenarios/training/model.hpp"
#include "scenarios/training/sgd.hpp"

#include <fmt/format.h>

#include <vector>

using sim::scenarios::Options;
using namespace sim::training;

static void data_parallel(sim::GPU& gpu, const Options& options) {
    const auto seed = static_cast<std::uint64_t>(options.seed);
    const Share mine = share_of(options.items, gpu.world_size(), gpu.rank());
    const Model model(options.layers);
    std::vector<double> weights = model.initial_weights(seed);  // the same on every rank
    gpu.report("loss before", loss_sum(model, weights, seed, mine));

    for (int step = 0; step < options.steps; ++step) {
        std::vector<double> gradient(weights.size(), 0.0);
        for (int item = mine.first; item < mine.first + mine.count; ++item) {
            gpu.compute(fmt::format("Process item {}", item), sim::Units{options.compute_units});
            model.add_gradient(weights, make_item(seed, item), gradient);
        }
        // Sum here, divide in sgd_step: a mean of the ranks' means would be wrong where shares are uneven.
        sim::all_reduce(gpu, sim::world(gpu), gradient, sim::Units{options.gradient_units});
        sgd_step(weights, gradient, options.items);
    }

    gpu.report("loss", loss_sum(model, weights, seed, mine));
    gpu.report("weights", weights);
}

int main(int argc, char** argv) {
    const sim::scenarios::Scenario scenario{
        .name = "1d_data_parallel",
        .summary = "1D: trains the model of 0D on several simulated GPUs, each with a share of the items.",
        .axes = {"dp"},
        .default_ranks = 4,
        .examples = {"1d_data_parallel                        # 4 ranks: 16.1 s simulated, where 0D takes 32 s",
                     "1d_data_parallel --ranks 8 --quiet      # is twice the number of GPUs twice as fast?",
                     "1d_data_parallel --trace trace.json     # a picture of it: open it at ui.perfetto.dev"},
        .program = data_parallel,
    };
    return sim::scenarios::run(scenario, argc, argv);
}
