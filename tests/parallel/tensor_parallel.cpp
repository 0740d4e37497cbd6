// Tensor parallelism: feed-forward and attention split over ranks compute the result of one rank, with two all-reduces
// forward and two backward.
#include "libsim/parallel/tensor_parallel.hpp"
#include "libsim/parallel/context_parallel.hpp"
#include "tests/parallel/numbers.hpp"
#include "tests/support/linear.hpp"
#include "tests/support/simulate.hpp"

#include <algorithm>

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class TensorParallelism : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, TensorParallelism, both_hosts(), host_name);

using Numbers = std::vector<double>;

constexpr std::size_t d = 12;  // columns: 12 heads of 1, or 6 of 2, …
const Activations whole{.items = 2, .rows = 12, .columns = d, .size = Units{240}};

// The index-th of n parts of each item's rows: a rank's share of an array outside the parallel regions.
Numbers outside(const Numbers& all, int index, int n, bool sequence_parallel) {
    if (!sequence_parallel) {
        return all;
    }
    const std::size_t piece = whole.rows / static_cast<std::size_t>(n) * d;
    Numbers own;
    for (std::size_t item = 0; item < whole.items; ++item) {
        const std::size_t begin = (item * static_cast<std::size_t>(n) + static_cast<std::size_t>(index)) * piece;
        own.insert(own.end(), all.begin() + static_cast<std::ptrdiff_t>(begin),
                   all.begin() + static_cast<std::ptrdiff_t>(begin + piece));
    }
    return own;
}

Numbers squares(Numbers x) {
    std::transform(x.begin(), x.end(), x.begin(), [](double v) { return v * v; });
    return x;
}

// y = (x W1 + b1)^2 W2 + b2, forward and backward.
struct FeedForward {
    static constexpr std::size_t inner = 24;
    Numbers w1 = numbers(d * inner, 1);
    Numbers b1 = numbers(inner, 2);
    Numbers w2 = numbers(inner * d, 3);
    Numbers b2 = numbers(d, 4);
    Numbers x = numbers(whole.numbers(), 5);
    Numbers dy = numbers(whole.numbers(), 6);

    struct Result {
        Numbers y;
        Numbers dx;
        Numbers dw1, db1, dw2, db2;
    };

    Result alone() const {
        Linear up{d, inner, w1, b1};
        Linear down{inner, d, w2, b2};
        Numbers h = up.product(x);
        up.add_bias(h);
        Result result{.y = down.product(squares(h))};
        down.add_bias(result.y);
        down.add_gradients(squares(h), dy);
        Numbers dh = down.transposed_product(dy);
        std::transform(dh.begin(), dh.end(), h.begin(), dh.begin(), [](double g, double v) { return 2 * v * g; });
        up.add_gradients(x, dh);
        result.dx = up.transposed_product(dh);
        result.dw1 = up.weight_gradient;
        result.db1 = up.bias_gradient;
        result.dw2 = down.weight_gradient;
        result.db2 = down.bias_gradient;
        return result;
    }

    void split(GPU& gpu, bool sequence_parallel) const {
        const TensorParallel tensor(gpu, world(gpu), {.sequence_parallel = sequence_parallel});
        const int index = tensor.index();
        const int parts = tensor.parts();
        const std::size_t mine = inner / static_cast<std::size_t>(parts);
        Linear up{d, mine, own_columns(w1, inner, index, parts), own_columns(b1, inner, index, parts)};
        Linear down{mine, d, own_rows(w2, index, parts), b2};
        const auto own = [&](const Numbers& all) { return outside(all, index, parts, sequence_parallel); };

        const Numbers entered = tensor.enter(own(x), whole);
        Numbers h = up.product(entered);
        up.add_bias(h);
        Numbers y = tensor.leave(down.product(squares(h)), whole);
        down.add_bias(y);  // after the sum, once
        gpu.report("y", y);
        const Numbers came = tensor.leave_backward(own(dy), whole);
        Numbers dh = down.transposed_product(came);
        down.add_gradients(squares(h), came);
        std::transform(dh.begin(), dh.end(), h.begin(), dh.begin(), [](double g, double v) { return 2 * v * g; });
        gpu.report("dx", tensor.enter_backward(up.transposed_product(dh), whole));
        up.add_gradients(entered, dh);
        gpu.report("dw1", up.weight_gradient);
        gpu.report("db1", up.bias_gradient);
        gpu.report("dw2", down.weight_gradient);
        gpu.report("db2", down.bias_gradient);
    }
};

// Attention with 12 heads of width 1 over 24 positions, between [Q|K|V] = x W and out W'.
struct Attentive {
    static constexpr int heads = 12;
    Numbers qkv = numbers(d * 3 * d, 1);
    Numbers projection = numbers(d * d, 2);
    Numbers x = numbers(whole.numbers(), 3);
    Numbers dy = numbers(whole.numbers(), 4);

    void split(GPU& gpu) const {
        const TensorParallel tensor(gpu, world(gpu));
        const auto own = static_cast<std::size_t>(tensor.own_heads(heads).count);
        const int index = tensor.index();
        const int parts = tensor.parts();
        // Each member has its heads of all three of [Q|K|V].
        const Numbers wq = own_columns(own_columns(qkv, 3 * d, 0, 3), d, index, parts);
        const Numbers wk = own_columns(own_columns(qkv, 3 * d, 1, 3), d, index, parts);
        const Numbers wv = own_columns(own_columns(qkv, 3 * d, 2, 3), d, index, parts);
        const Linear out{own, d, own_rows(projection, index, parts)};
        const Numbers q = Linear{d, own, wq}.product(x);
        const Numbers k = Linear{d, own, wk}.product(x);
        const Numbers v = Linear{d, own, wv}.product(x);
        const AttentionInput input{.q = q, .k = k, .v = v, .width = 1, .heads = own, .items = whole.items};
        const Attention attention = ring_attention(Ring{}, input);
        gpu.report("y", tensor.leave(out.product(attention.out), whole));

        const AttentionGradient gradient =
            ring_attention_backward(Ring{}, input, attention, out.transposed_product(dy));
        Numbers dx = Linear{d, own, wq}.transposed_product(gradient.dq);
        for (const Numbers& summand :
             {Linear{d, own, wk}.transposed_product(gradient.dk), Linear{d, own, wv}.transposed_product(gradient.dv)}) {
            std::transform(dx.begin(), dx.end(), summand.begin(), dx.begin(), std::plus<>());
        }
        gpu.report("dx", tensor.enter_backward(dx, whole));
    }
};

}  // namespace

TEST_P(TensorParallelism, OfAFeedForwardPartComputesWhatOneRankWould) {
    const FeedForward part;
    const FeedForward::Result expected = part.alone();
    for (const int n : {1, 2, 3, 4}) {
        for (const bool sequence_parallel : {false, true}) {
            const Simulation s = simulate_well(ranks(n), [&](GPU& gpu) { part.split(gpu, sequence_parallel); });
            for (int rank = 0; rank < n; ++rank) {
                const auto found = [&](const char* name) { return s.result.reports.at(name).at(rank); };
                EXPECT_THAT(found("y"), near_to(outside(expected.y, rank, n, sequence_parallel)));
                EXPECT_THAT(found("dx"), near_to(outside(expected.dx, rank, n, sequence_parallel)));
                EXPECT_THAT(found("dw1"), near_to(own_columns(expected.dw1, FeedForward::inner, rank, n)));
                EXPECT_THAT(found("db1"), near_to(own_columns(expected.db1, FeedForward::inner, rank, n)));
                EXPECT_THAT(found("dw2"), near_to(own_rows(expected.dw2, rank, n)));
                EXPECT_THAT(found("db2"), near_to(expected.db2)) << n << " ranks, sequence " << sequence_parallel;
            }
        }
    }
}

TEST_P(TensorParallelism, OfHeadsComputesWhatOneRankWouldAndTheSameBitsOnAll) {
    const Attentive attention;
    const auto run = [&](int n) { return simulate_well(ranks(n), [&](GPU& gpu) { attention.split(gpu); }); };
    const Simulation alone = run(1);
    for (const int n : {2, 3, 4}) {
        const Simulation s = run(n);
        for (const char* name : {"y", "dx"}) {
            EXPECT_THAT(s.result.reports.at(name).at(0), near_to(alone.result.reports.at(name).at(0)));
            EXPECT_EQ(s.result.reports.at(name).at(n - 1), s.result.reports.at(name).at(0));
        }
    }
}

TEST_P(TensorParallelism, OfABlockSendsFourSums) {
    // Attention and feed-forward, forward and backward: 4 x 2 (n-1) messages of 240/n units, 0.1 s + 2.4 s / n each.
    // Sequence parallelism has four all-gathers and four reduce-scatters of n-1 messages: the same.
    const FeedForward part;
    for (const int n : {1, 2, 3, 4}) {
        for (const bool sequence_parallel : {false, true}) {
            const Simulation s = simulate_well(ranks(n), [&](GPU& gpu) {
                part.split(gpu, sequence_parallel);
                part.split(gpu, sequence_parallel);
            });
            EXPECT_EQ(s.end(), 4 * 2 * (n - 1) * (100ms + duration_of_seconds(2.4) / n));
            for (const RankTotals& totals : s.result.ranks) {
                EXPECT_EQ(totals.messages_sent, 4 * 2 * (n - 1));
                EXPECT_EQ(totals.billionths_sent, 4 * 2 * (n - 1) * Units{240}.billionths() / n);
            }
        }
    }
}

TEST_P(TensorParallelism, CostsEightBytesANumberWhereNoSizeIsGiven) {
    // 2 x 4 x 3 numbers, 192 bytes: an all-reduce, an all-gather and a reduce-scatter of 3 ranks send (2 + 1 + 1) x 2 x
    // 64 bytes.
    const Cluster cluster = uniform({.latency = 5us, .bandwidth = 1 * GB_per_s});
    const Simulation s = simulate_well(ranks(3, cluster), [](GPU& gpu) {
        const TensorParallel tensor(gpu, world(gpu));
        const Activations small{.items = 2, .rows = 3, .columns = 4};
        Numbers x(24, 1.0);
        tensor.sum(x);
        const Numbers own = tensor.scatter_rows(x, small);
        gpu.report("gathered", tensor.gather_rows(own, small));
    });
    EXPECT_EQ(s.result.ranks[1].bytes_sent, 8 * 64);
    EXPECT_EQ(s.end(), 8 * (5us + 64ns));
    EXPECT_EQ(s.result.reports.at("gathered").at(2), Numbers(24, 9.0));
}

TEST_P(TensorParallelism, GathersAndScattersOwnRowsOfEveryItem) {
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        const TensorParallel tensor(gpu, world(gpu));
        const Activations small{.items = 2, .rows = 4, .columns = 1, .size = Units{8}};
        const double first = 2.0 * gpu.rank();
        gpu.report("all", tensor.gather_rows(Numbers{first, first + 1, first + 10, first + 11}, small));
        gpu.report("own", tensor.scatter_rows(Numbers{0, 1, 2, 3, 10, 11, 12, 13}, small));
    });
    EXPECT_EQ(s.result.reports.at("all").at(1), (Numbers{0, 1, 2, 3, 10, 11, 12, 13}));
    EXPECT_EQ(s.result.reports.at("own").at(0), (Numbers{0, 2, 20, 22}));
    EXPECT_EQ(s.result.reports.at("own").at(1), (Numbers{4, 6, 24, 26}));
}

TEST(OwnParts, AreTheColumnsOfEachBlockOrTheRows) {
    const Numbers matrix{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};  // 2 x 8 or 4 x 4
    EXPECT_EQ(own_columns(matrix, 8, 1, 2), (Numbers{4, 5, 6, 7, 12, 13, 14, 15}));
    EXPECT_EQ(own_columns(matrix, 8, 1, 2, 2), (Numbers{2, 3, 6, 7, 10, 11, 14, 15}));
    EXPECT_EQ(own_rows(matrix, 1, 4), (Numbers{4, 5, 6, 7}));
}

TEST_P(TensorParallelism, ThatCannotBeIsExplained) {
    const auto message = [&](auto action) {
        const Simulation s = simulate(ranks(2), [action](GPU& gpu) { action(TensorParallel(gpu, world(gpu))); });
        return s.result.fault->message;
    };
    const Numbers ten(10);
    EXPECT_THAT(message([](const TensorParallel& tensor) { tensor.own_heads(5); }),
                testing::HasSubstr("5 heads cannot be split over tensor parallel ranks 2; 4 or 6 heads"));
    EXPECT_THAT(message([&](const TensorParallel& tensor) { tensor.scatter_rows(ten, {.rows = 5, .columns = 2}); }),
                testing::HasSubstr("5 rows cannot be split over tensor parallel ranks 2"));
    EXPECT_THAT(message([&](const TensorParallel& tensor) { tensor.leave(ten, {.rows = 4, .columns = 3}); }),
                testing::HasSubstr("all rows of 1 items x 4 rows x 3 columns must be 12 numbers, not 10"));
    EXPECT_THAT(message([&](const TensorParallel& tensor) { tensor.gather_rows(ten, {.rows = 4, .columns = 3}); }),
                testing::HasSubstr("own rows of 1 items x 4 rows x 3 columns must be 6 numbers, not 10"));
}
