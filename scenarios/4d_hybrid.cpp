// 4D: all of it. dp x tp x pp x ep ranks: shares of the items, split layers, stages, and experts spread over ranks;
// --cp spreads the positions of each item over ranks as well, or instead of the experts.
//
// Ranks 0 to tp-1 share a layer's width, because they communicate most and should be adjacent; then come cp, ep and dp;
// stages are farthest apart. Each kind of group has its own messages: sums within tp, keys and values around the ring
// of cp, tokens to their experts and back within ep, activations between stages, gradients within dp (and ep and cp,
// whose ranks have the same weights except for the experts).
#include "scenarios/options/scenario.hpp"

int main(int argc, char** argv) {
    const sim::scenarios::Scenario scenario{
        .name = "4d_hybrid",
        .summary =
            "4D: trains the model of 0D on a mesh of data, tensor, pipeline and expert (or context) parallel ranks.",
        .axes = {{"dp", 2}, {"tp", 2}, {"pp", 2}, {"ep", 2}, {"cp", 1}},
        .ranks_are_world = true,
        .examples = {"4d_hybrid --quiet                          # 2 x 2 x 2 x 2 = 16 ranks, 4 experts in each layer",
                     "4d_hybrid --cp 2 --quiet                   # context parallel in place of expert parallel",
                     "4d_hybrid --dp 2 --tp 2 --pp 1 --ep 1      # split layers and split items alone: 4 ranks",
                     "4d_hybrid --ranks 32 --items 32 --quiet    # dp is what is left: 4"},
    };
    return sim::scenarios::run(scenario, argc, argv);
}
