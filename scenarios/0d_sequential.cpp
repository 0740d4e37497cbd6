// 0D: one GPU does everything, one item after the other.
//
// The yardstick: every other scenario trains the same model on the same items and must end with the same weights, and
// its speedup is measured against the time this one takes.
//
//   time of a step = items x compute units of an item x seconds per unit
//                  = 16 x 20 x 0.1 s = 32 s with the defaults
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

static void sequential(sim::GPU& gpu, const Options& options) {
    const auto seed = static_cast<std::uint64_t>(options.seed);
    const Share all{.first = 0, .count = options.items};
    const Model model(options.layers);
    std::vector<double> weights = model.initial_weights(seed);
    gpu.report("loss before", loss_sum(model, weights, seed, all));

    for (int step = 0; step < options.steps; ++step) {
        std::vector<double> gradient(weights.size(), 0.0);
        for (int item = 0; item < options.items; ++item) {
            // The simulated GPU is busy for as long as the profile says; the numbers are computed beside it.
            gpu.compute(fmt::format("Process item {}", item), sim::Units{options.compute_units});
            model.add_gradient(weights, make_item(seed, item), gradient);
        }
        sgd_step(weights, gradient, options.items);
    }

    gpu.report("loss", loss_sum(model, weights, seed, all));
    gpu.report("weights", weights);
}

int main(int argc, char** argv) {
    const sim::scenarios::Scenario scenario{
        .name = "0d_sequential",
        .summary = "0D: trains a small model on one simulated GPU, one item after the other.",
        .examples = {"0d_sequential                                  # 16 items of 2 s each: 32 s simulated",
                     "0d_sequential --items 8 --compute-units 5      # the same, smaller: 4 s",
                     "0d_sequential --clock wall --time-scale 0.1    # really waits: 3.2 s by the wall's clock"},
        .program = sequential,
    };
    return sim::scenarios::run(scenario, argc, argv);
}
