// Context parallelism: ring attention gives the result of one rank, in the time of its rotations and blocks.
#include "libsim/parallel/context_parallel.hpp"
#include "tests/parallel/numbers.hpp"
#include "tests/support/simulate.hpp"

#include <algorithm>

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class ContextParallelism : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, ContextParallelism, both_hosts(), host_name);

using Numbers = std::vector<double>;

constexpr std::size_t positions = 12;
constexpr std::size_t width = 3;

struct Whole {
    Numbers q = numbers(positions * width, 1);
    Numbers k = numbers(positions * width, 2);
    Numbers v = numbers(positions * width, 3);
    Numbers dout = numbers(positions * width, 4);
    bool causal = true;

    double score(std::size_t i, std::size_t j) const {
        double sum = 0;
        for (std::size_t c = 0; c < width; ++c) {
            sum += q[i * width + c] * k[j * width + c];
        }
        return sum / std::sqrt(3.0);
    }
    std::size_t seen(std::size_t i) const { return causal ? i + 1 : positions; }
    // Row i of the softmax, by its definition.
    Numbers weights(std::size_t i) const {
        Numbers p(positions);
        double sum = 0;
        for (std::size_t j = 0; j < seen(i); ++j) {
            sum += p[j] = std::exp(score(i, j));
        }
        std::transform(p.begin(), p.end(), p.begin(), [sum](double e) { return e / sum; });
        return p;
    }
};

Numbers direct_attention(const Whole& x) {
    Numbers out(positions * width);
    for (std::size_t i = 0; i < positions; ++i) {
        const Numbers p = x.weights(i);
        for (std::size_t j = 0; j < positions; ++j) {
            for (std::size_t c = 0; c < width; ++c) {
                out[i * width + c] += p[j] * x.v[j * width + c];
            }
        }
    }
    return out;
}

// Uses the softmax's Jacobian, without the values that the ring saves: ds_ij = p_ij (dp_ij - sum_l p_il dp_il), dp_ij =
// dout_i . v_j.
AttentionGradient direct_gradient(const Whole& x) {
    AttentionGradient g{Numbers(positions * width), Numbers(positions * width), Numbers(positions * width)};
    for (std::size_t i = 0; i < positions; ++i) {
        const Numbers p = x.weights(i);
        Numbers dp(positions);
        double mean = 0;
        for (std::size_t j = 0; j < positions; ++j) {
            for (std::size_t c = 0; c < width; ++c) {
                dp[j] += x.dout[i * width + c] * x.v[j * width + c];
                g.dv[j * width + c] += p[j] * x.dout[i * width + c];
            }
            mean += p[j] * dp[j];
        }
        for (std::size_t j = 0; j < positions; ++j) {
            const double ds = p[j] * (dp[j] - mean) / std::sqrt(3.0);
            for (std::size_t c = 0; c < width; ++c) {
                g.dq[i * width + c] += ds * x.k[j * width + c];
                g.dk[j * width + c] += ds * x.q[i * width + c];
            }
        }
    }
    return g;
}

Numbers part(const Numbers& all, int index, int n) {
    const auto length = static_cast<std::ptrdiff_t>(all.size()) / n;
    return {all.begin() + index * length, all.begin() + (index + 1) * length};
}

struct Passes {
    RingOptions forward;
    RingOptions backward;
};

void attend(GPU& gpu, const Whole& whole, const Passes& passes) {
    const Group ring = world(gpu);
    const auto own = [&](const Numbers& all) { return part(all, gpu.rank(), ring.size()); };
    const Numbers q = own(whole.q);
    const Numbers k = own(whole.k);
    const Numbers v = own(whole.v);
    const AttentionInput input{.q = q, .k = k, .v = v, .width = width, .causal = whole.causal};
    const Attention attention = ring_attention(gpu, ring, input, passes.forward);
    gpu.report("out", attention.out);
    gpu.report("forward end", seconds(gpu.now()));
    const AttentionGradient gradient =
        ring_attention_backward(gpu, ring, input, attention, own(whole.dout), passes.backward);
    gpu.report("dq", gradient.dq);
    gpu.report("dk", gradient.dk);
    gpu.report("dv", gradient.dv);
}

// A rotation of 60 units takes 0.7 s on gpu-py; a block costs the given units of compute forward, and twice as many
// backward.
ranks::Program timed(bool causal, int units, bool overlap) {
    return [=](GPU& gpu) {
        const auto costing = [&](int block) {
            return RingOptions{.rotated = Units{60}, .overlap = overlap, .before_block = [&gpu, block](int) {
                                   gpu.compute("block", Units{block});
                               }};
        };
        attend(gpu, {.causal = causal}, {costing(units), costing(2 * units)});
    };
}

}  // namespace

TEST_P(ContextParallelism, ComputesWhatOneRankWouldFromAllPositions) {
    for (const bool causal : {true, false}) {
        const Whole whole{.causal = causal};
        const Numbers out = direct_attention(whole);
        const AttentionGradient gradient = direct_gradient(whole);
        for (const int n : {1, 2, 3, 4, 6, 12}) {
            for (const bool overlap : {true, false}) {
                const RingOptions options{.overlap = overlap};
                const Cluster bytes = uniform({.bandwidth = 1 * GB_per_s});
                const Simulation s = simulate_well(ranks(n, bytes), [&](GPU& gpu) {
                    attend(gpu, whole, {options, options});
                });
                for (int rank = 0; rank < n; ++rank) {
                    const auto found = [&](const char* name) { return s.result.reports.at(name).at(rank); };
                    EXPECT_THAT(found("out"), near_to(part(out, rank, n))) << n << " ranks, causal " << causal;
                    EXPECT_THAT(found("dq"), near_to(part(gradient.dq, rank, n)));
                    EXPECT_THAT(found("dk"), near_to(part(gradient.dk, rank, n)));
                    EXPECT_THAT(found("dv"), near_to(part(gradient.dv, rank, n)));
                }
            }
        }
    }
}

TEST_P(ContextParallelism, RotatesNMinusOneTimesForwardAndTwoNMinusOneBackward) {
    // By default [K|V] of 12/n positions costs 2 x 3 x 8 bytes per position; it is sent in n-1 + 2n-1 messages.
    for (const int n : {1, 2, 3, 4}) {
        const Cluster bytes = uniform({.latency = 1us, .bandwidth = 1 * GB_per_s});
        const Simulation s = simulate_well(ranks(n, bytes), [](GPU& gpu) { attend(gpu, {}, {}); });
        const int rotations = n == 1 ? 0 : 3 * n - 2;
        const std::int64_t each = 12 / n * 2 * 3 * 8;
        for (const RankTotals& totals : s.result.ranks) {
            EXPECT_EQ(totals.messages_sent, rotations);
            EXPECT_EQ(totals.bytes_sent, rotations * each);
        }
        EXPECT_EQ(s.end(), rotations * (1us + each * 1ns));
    }
}

TEST_P(ContextParallelism, TakesTheLongerOfBlockAndRotation) {
    const Duration t = 700ms;
    for (const int n : {1, 2, 3, 4}) {
        for (const int units : {2, 5, 20}) {
            const Duration c = units * 100ms;
            const Duration home = n == 1 ? 0s : t;
            const Duration forward = (n - 1) * std::max(c, t) + c;
            const Duration backward = (n - 1) * (std::max(2 * c, t) + t) + 2 * c + home;
            const Simulation beside = simulate_well(ranks(n), timed(false, units, true));
            EXPECT_EQ(beside.result.reports.at("forward end").at(0), Numbers{seconds(forward)});
            EXPECT_EQ(beside.end(), forward + backward) << n << " ranks, " << units << " units";
            const Simulation after = simulate_well(ranks(n), timed(false, units, false));
            EXPECT_EQ(after.end(), n * c + (n - 1) * t + n * 2 * c + (n == 1 ? 0 : 2 * n - 1) * t);
        }
    }
}

TEST_P(ContextParallelism, ComputesNoBlockOfTheFuture) {
    // Member i of 4 sees blocks 0 … i; each costs 5 units forward and 10 backward.
    const Simulation s = simulate_well(ranks(4), timed(true, 5, true));
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(s.result.ranks[static_cast<std::size_t>(i)].compute, (i + 1) * (500ms + 1s));
    }
}

TEST_P(ContextParallelism, GivesToTheNextMemberWhateverTheOrderOfRanks) {
    const Simulation s = simulate_well(ranks(3), [](GPU& gpu) {
        const Group ring = Group::of({2, 0, 1});
        gpu.report("came", rotate(gpu, ring, Numbers(2, gpu.rank()), Units{60}));
        gpu.report("alone", rotate(gpu, Group::strided(gpu.rank(), 1, 1), Numbers{5.0}));
    });
    EXPECT_EQ(s.result.reports.at("came").at(0), (Numbers{2, 2}));
    EXPECT_EQ(s.result.reports.at("came").at(1), (Numbers{0, 0}));
    EXPECT_EQ(s.result.reports.at("came").at(2), (Numbers{1, 1}));
    EXPECT_EQ(s.result.reports.at("alone").at(1), Numbers{5.0});
    EXPECT_EQ(s.end(), 700ms);
}

TEST_P(ContextParallelism, ThatCannotBeIsExplained) {
    const auto message = [&](auto action) {
        return simulate(ranks(2), [action](GPU& gpu) { action(gpu); }).result.fault->message;
    };
    const Numbers six(6);
    const Numbers four(4);
    EXPECT_THAT(
        message([&](GPU& gpu) { ring_attention(gpu, world(gpu), {.q = four, .k = four, .v = four, .width = 3}); }),
        testing::HasSubstr("queries of 4 numbers are no whole number of rows of 3"));
    EXPECT_THAT(
        message([&](GPU& gpu) { ring_attention(gpu, world(gpu), {.q = six, .k = four, .v = six, .width = 2}); }),
        testing::HasSubstr("q, k and v of 6, 4 and 6 numbers; every position has one of each"));
    EXPECT_THAT(message([&](GPU& gpu) {
                    const AttentionInput input{.q = six, .k = six, .v = six, .width = 2};
                    ring_attention_backward(gpu, world(gpu), input, {.out = six, .log_sum = Numbers(3)}, four);
                }),
                testing::HasSubstr("a gradient of 4 numbers of an output of 6, for queries of 6"));
    EXPECT_THAT(message([&](GPU& gpu) { rotate(gpu, Group::strided(0, 1, 1), six); }),
                testing::HasSubstr("rank 1 is not in the group that shares the positions"));
    // Both ranks fail at the same simulated time; a run reports the one that it reaches first.
    EXPECT_THAT(
        message([&](GPU& gpu) {
            const Numbers uneven(gpu.rank() == 0 ? 4 : 6);
            ring_attention(gpu, world(gpu), {.q = uneven, .k = uneven, .v = uneven, .width = 2}, {.rotated = Units{1}});
        }),
        testing::AnyOf(
            testing::AllOf(testing::HasSubstr("expects 64 B of data"), testing::HasSubstr("sent 96 B of data")),
            testing::AllOf(testing::HasSubstr("expects 96 B of data"), testing::HasSubstr("sent 64 B of data"))));
}

namespace {

// Four positions of two heads of width 1: keys and values of the heads are interleaved.
struct TwoHeads {
    Numbers q{0.5, 1, -1, 2, 0, 0.3, 2, -2};
    Numbers k{1, 2, -1, 0.5, 0.2, 0.1, 1, 1};
    Numbers v{3, 4, 5, 6, 7, 8, 9, 10};

    Attention attend(std::size_t items = 1) const {
        return ring_attention(Ring{}, {.q = q, .k = k, .v = v, .width = 1, .heads = 2, .items = items});
    }
};

}  // namespace

TEST(Heads, AreSoftmaxesOfWhatCameBefore) {
    const Attention attention = TwoHeads().attend();
    EXPECT_DOUBLE_EQ(attention.out[0], 3);  // the first position sees only itself
    EXPECT_DOUBLE_EQ(attention.out[1], 4);
    // second position, second head: scores 2 * 2 and 2 * 0.5, values 4 and 6
    const double expected = (std::exp(4.0) * 4 + std::exp(1.0) * 6) / (std::exp(4.0) + std::exp(1.0));
    EXPECT_DOUBLE_EQ(attention.out[3], expected);
    EXPECT_DOUBLE_EQ(attention.log_sum[3], std::log(std::exp(4.0) + std::exp(1.0)));
    EXPECT_DOUBLE_EQ(attention.out[4], 5);  // a query of zero: the mean of 3, 5 and 7
}

TEST(Heads, DoNotSeeTheFuture) {
    TwoHeads heads;
    const Numbers before = heads.attend().out;
    for (const std::size_t i : {4U, 5U}) {  // in the third position
        heads.k[i] *= -7;
        heads.v[i] *= -7;
    }
    const Numbers after = heads.attend().out;
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(after[i], before[i]);
    }
    for (std::size_t i = 4; i < 8; ++i) {
        EXPECT_NE(after[i], before[i]);
    }
}

TEST(Heads, DoNotSeeOtherItems) {
    EXPECT_DOUBLE_EQ(TwoHeads().attend(2).out[4], 7);  // the first position of the second item
}

TEST(Heads, DivideScoresByTheRootOfTheirWidth) {
    // The second query has scores 4 / sqrt 4 = 2 and 0, and values 1 and 0.
    const Numbers q(8, 1.0);
    const Numbers kv{1, 1, 1, 1, 0, 0, 0, 0};
    const Attention attention = ring_attention(Ring{}, {.q = q, .k = kv, .v = kv, .width = 4});
    EXPECT_DOUBLE_EQ(attention.out[7], std::exp(2.0) / (std::exp(2.0) + 1));
}

TEST_P(ContextParallelism, OfSeveralHeadsAndItemsIsThatOfEachAlone) {
    // 2 items of 2 positions per rank, 3 heads of width 2: the same as each head of each item alone.
    constexpr std::size_t n = 3;
    const std::size_t rows = 2 * 2 * n;
    const Numbers q = numbers(rows * 6, 1);
    const Numbers k = numbers(rows * 6, 2);
    const Numbers v = numbers(rows * 6, 3);
    const Numbers dout = numbers(rows * 6, 4);
    // A rank's rows of the whole (item by item, 2 n positions each), with the columns of one head or all.
    const auto own = [&](const Numbers& all, int rank, std::size_t item, std::size_t items, std::size_t column,
                         std::size_t columns) {
        Numbers part;
        for (std::size_t i = item; i < item + items; ++i) {
            for (std::size_t position = 0; position < 2; ++position) {
                const std::size_t row = i * 2 * n + 2 * static_cast<std::size_t>(rank) + position;
                const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row * 6 + column);
                part.insert(part.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
            }
        }
        return part;
    };
    const auto run = [&](GPU& gpu, std::size_t item, std::size_t items, std::size_t column, std::size_t heads) {
        const auto mine = [&](const Numbers& all) { return own(all, gpu.rank(), item, items, column, 2 * heads); };
        const Numbers own_q = mine(q);
        const Numbers own_k = mine(k);
        const Numbers own_v = mine(v);
        const AttentionInput input{.q = own_q, .k = own_k, .v = own_v, .width = 2, .heads = heads, .items = items};
        const Attention attention = ring_attention(gpu, world(gpu), input, {.rotated = Units{1}});
        const AttentionGradient gradient =
            ring_attention_backward(gpu, world(gpu), input, attention, mine(dout), {.rotated = Units{1}});
        return std::vector<Numbers>{attention.out, gradient.dq, gradient.dk, gradient.dv};
    };
    const Simulation s = simulate_well(ranks(n), [&](GPU& gpu) {
        const std::vector<Numbers> all = run(gpu, 0, 2, 0, 3);
        int differ = 0;
        for (std::size_t item = 0; item < 2; ++item) {
            for (std::size_t head = 0; head < 3; ++head) {
                const std::vector<Numbers> one = run(gpu, item, 1, 2 * head, 1);
                for (std::size_t array = 0; array < 4; ++array) {
                    for (std::size_t i = 0; i < 4; ++i) {  // 2 positions of width 2
                        const std::size_t at = (item * 2 + i / 2) * 6 + 2 * head + i % 2;
                        differ += all[array][at] != one[array][i] ? 1 : 0;
                    }
                }
            }
        }
        gpu.report("differ", differ);
    });
    for (int rank = 0; rank < static_cast<int>(n); ++rank) {
        EXPECT_EQ(s.result.reports.at("differ").at(rank)[0], 0) << "the same bits on rank " << rank;
    }
}
