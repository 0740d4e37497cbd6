// What compressed gradients train: not the same weights, but as good a model.
#include "tests/strategies/strategy_run.hpp"

#include <fmt/format.h>

namespace {

using namespace sim;
using namespace sim::test;
TEST(Compression, X) {
    for (const char* o : {"--optimizer sgd", "--optimizer adam"})
    for (const char* c : {"--compress none", "--compress 16-bit", "--compress top-k --compress-fraction 0.1", "--compress top-k --compress-fraction 0.01"})
    for (int steps : {1, 10,40,100}) {
        const auto out = outcome_of_line(fmt::format("1d_data_parallel --ranks 4 --hidden 8 --heads 2 --sequence 4 --layers 2 --steps {} {} {}", steps, o, c));
        printf("%s %s %d: %g -> %g  diff %g\n", o, c, steps, out.loss_before, out.loss, out.max_weight_difference);
    }
}
}
