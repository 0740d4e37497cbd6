// 0D: one GPU does everything, one item after the other.
//
// It is the baseline: every other scenario trains the same model on the same items and must end with the same weights,
// and its speedup is relative to the time of this one.
//
//   time of a step = items x compute units of an item x seconds per unit
//                  = 16 x 20 x 0.1 s = 32 s with the defaults
#include "scenarios/options/scenario.hpp"

int main(int argc, char** argv) {
    const sim::scenarios::Scenario scenario{
        .name = "0d_sequential",
        .summary = "0D: trains a small transformer on one simulated GPU, one item after the other.",
        .item_by_item = true,
        .examples = {"0d_sequential                                  # 16 items of 2 s each: 32 s simulated",
                     "0d_sequential --items 8 --compute-units 5      # the same, smaller: 4 s",
                     "0d_sequential --clock wall --time-scale 0.1    # really waits: 3.2 s by the wall's clock"},
    };
    return sim::scenarios::run(scenario, argc, argv);
}
