// All-to-all with parts of any length, and the requests that neither form supports.
#include "libsim/collectives/all_to_all.hpp"
#include "tests/support/simulate.hpp"

#include <numeric>

namespace {

using namespace sim;
using namespace sim::test;

ranks::LaunchOptions fibers(int count) {
    return {.ranks = count, .host = ranks::Host::fiber};
}

struct Token {
    int from = -1;
    double value = 0;
    friend bool operator==(const Token&, const Token&) = default;
};

std::vector<Token> tokens(int from, int to) {
    std::vector<Token> all(static_cast<std::size_t>((from * 3 + to * 5) % 4));
    for (Token& token : all) {
        token = {from, to + 0.5};
    }
    return all;
}

std::vector<std::vector<Token>> tokens_for_all(int from, int n) {
    std::vector<std::vector<Token>> parts;
    for (int to = 0; to < n; ++to) {
        parts.push_back(tokens(from, to));
    }
    return parts;
}

TEST(AllToAllV, BringsPartsOfAnyLengthAndChargesThemAllAlike) {
    for (int n = 1; n <= 9; ++n) {
        std::vector<int> right(static_cast<std::size_t>(n), 0);
        const auto run = simulate_well(fibers(n), [&](GPU& gpu) {
            const auto came = all_to_all_v(gpu, world(gpu), tokens_for_all(gpu.rank(), n), Units(90));
            bool all = came.size() == static_cast<std::size_t>(n);
            for (int from = 0; all && from < n; ++from) {
                all = came[static_cast<std::size_t>(from)] == tokens(from, gpu.rank());
            }
            right[static_cast<std::size_t>(gpu.rank())] = all;
        });
        EXPECT_EQ(std::accumulate(right.begin(), right.end(), 0), n);
        const auto by_size = simulate_well(fibers(n), [](GPU& gpu) { all_to_all(gpu, world(gpu), Units(90)); });
        EXPECT_EQ(run.end(), by_size.end()) << n;
        EXPECT_EQ(run.result.messages, n * (n - 1));
    }
}

std::string fault_of(int n, const ranks::Program& program) {
    const auto run = simulate(fibers(n), program);
    return run.result.ok() ? "" : run.result.fault->message;
}

TEST(AllToAll, ExplainsWhatItCannotSplit) {
    EXPECT_THAT(fault_of(3,
                         [](GPU& gpu) {
                             std::vector<float> data(10);
                             all_to_all(gpu, world(gpu), data);
                         }),
                testing::HasSubstr("all-to-all of 10 elements over 3 ranks: chunks change places, so they must be of "
                                   "one length; 12 elements would do, or all_to_all_v"));
    EXPECT_THAT(
        fault_of(3, [](GPU& gpu) { all_to_all_v(gpu, world(gpu), std::vector<std::vector<int>>(2), Units(1)); }),
        testing::HasSubstr("all-to-all over 3 ranks has 2 parts; it needs one for each rank"));
}

TEST(AllToAllV, OfElementsOfAnotherSizeIsAMismatch) {
    EXPECT_THAT(fault_of(2,
                         [](GPU& gpu) {
                             if (gpu.rank() == 0) {
                                 all_to_all_v(gpu, world(gpu), std::vector<std::vector<int>>(2), Units(1));
                             } else {
                                 all_to_all_v(gpu, world(gpu), std::vector<std::vector<double>>(2), Units(1));
                             }
                         }),
                testing::HasSubstr("rank 1, op 0: all-to-all of 1 unit, elements of 8 B "));
}

}  // namespace
