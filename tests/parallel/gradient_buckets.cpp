// Gradients reduced in buckets: the same sum, in exactly the time of the recurrence.
#include "libsim/parallel/gradient_buckets.hpp"
#include "libsim/error.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"

#include <algorithm>

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class Buckets : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, Buckets, both_hosts(), host_name);

// `count` layers of 3 elements that cost `units` each.
std::vector<Segment> layers_of(int count, double units) {
    const std::vector<std::size_t> lengths(static_cast<std::size_t>(count), 3);
    return segments_of(lengths, std::vector<Size>(lengths.size(), Units{units}));
}

// One step: 10 units forward, then 10 backward for each bucket.
ranks::Program step_of(const std::vector<Bucket>& buckets, BucketOptions options) {
    return [buckets, options](GPU& gpu) {
        GradientBuckets sums(gpu, world(gpu), buckets, options);
        std::vector<double> gradient(std::max(buckets.front().end, buckets.back().end), gpu.rank() + 1.0);
        gpu.compute("forward", Units{10});
        for (int bucket = 0; bucket < static_cast<int>(buckets.size()); ++bucket) {
            gpu.compute("backward", Units{10});
            sums.ready(bucket, gradient);
        }
        sums.finish(gradient);
        gpu.report("gradient", gradient);
    };
}

// gpu-py, ring of n: 2 (n-1) steps of 0.05 s + units / n x 0.01 s + 0.05 s.
Duration ring(int n, double units) {
    return 2 * (n - 1) * (100ms + duration_of_seconds(units / n * 0.01));
}

}  // namespace

TEST_P(Buckets, OverlappedEndByTheirRecurrence) {
    for (const int n : {1, 2, 4, 5}) {
        for (const int m : {1, 2, 5}) {
            for (const double units : {20.0, 100.0, 400.0}) {  // of one bucket: hidden or not
                Duration end{0};
                for (int k = 1; k <= m; ++k) {
                    end = std::max<Duration>(1s + k * 1s, end) + ring(n, units);
                }
                const Simulation s = simulate_well(ranks(n), step_of(cut_into_buckets(layers_of(m, units), m), {}));
                EXPECT_EQ(s.end(), end) << n << " ranks, " << m << " buckets of " << units << " units";
                EXPECT_EQ(s.result.ranks[0].compute, 1s + m * 1s);
            }
        }
    }
}

TEST_P(Buckets, ThatFitBesideTheBackwardPassLeaveOneAllReduceInSight) {
    // 4 ranks, 4 buckets of 20 units: 6 steps of 0.15 s = 0.9 s, less than the 1 s of a bucket's backward pass.
    const Simulation s = simulate_well(ranks(4), step_of(cut_into_buckets(layers_of(4, 20), 4), {}));
    EXPECT_EQ(s.end(), 1s + 4 * 1s + 900ms);
    EXPECT_EQ(s.result.ranks[3].communication, 900ms);
}

TEST_P(Buckets, WithoutOverlapCostOneAllReduceAfterAnother) {
    for (const int m : {1, 2, 5}) {
        const Simulation s =
            simulate_well(ranks(4), step_of(cut_into_buckets(layers_of(m, 100), m), {.overlap = false}));
        EXPECT_EQ(s.end(), 1s + m * 1s + m * ring(4, 100));
        EXPECT_EQ(s.result.ranks[1].communication, m * ring(4, 100));
    }
}

TEST_P(Buckets, SendTwoTimesNMinusOneNthsOfTheGradientInAsManyMessagesEach) {
    for (const bool overlap : {true, false}) {
        const Simulation s =
            simulate_well(ranks(4), step_of(cut_into_buckets(layers_of(5, 100), 5), {.overlap = overlap}));
        for (const RankTotals& totals : s.result.ranks) {
            EXPECT_EQ(totals.billionths_sent, Units{2 * 3 / 4.0 * 500}.billionths());
            EXPECT_EQ(totals.messages_sent, 5 * 2 * 3);
        }
    }
}

TEST_P(Buckets, GiveTheSumOrTheAverageByEveryAlgorithm) {
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct, Algorithm::parameter_server}) {
        for (const bool overlap : {true, false}) {
            BucketOptions options{.overlap = overlap, .config = algorithm};
            const std::vector<Bucket> buckets = cut_into_buckets(layers_of(5, 100), 2);
            const Simulation sum = simulate_well(ranks(4), step_of(buckets, options));
            EXPECT_EQ(sum.result.reports.at("gradient").at(2), std::vector<double>(15, 10.0));
            options.reduction = Reduction::average;
            const Simulation average = simulate_well(ranks(4), step_of(buckets, options));
            EXPECT_EQ(average.result.reports.at("gradient").at(2), std::vector<double>(15, 2.5));
        }
    }
}

TEST_P(Buckets, SumWhatWasNeverReadyInTheEndAndServeTheNextStep) {
    const Simulation s = simulate_well(ranks(3), [](GPU& gpu) {
        GradientBuckets sums(gpu, world(gpu), cut_into_buckets(layers_of(3, 30), 3));
        std::vector<double> gradient(9, 1.0);
        for (int step = 0; step < 2; ++step) {
            sums.ready(1, gradient);
            sums.finish(gradient);
        }
        gpu.report("gradient", gradient);
    });
    EXPECT_EQ(s.result.reports.at("gradient").at(0), std::vector<double>(9, 9.0));
    EXPECT_EQ(s.end(), 2 * 2 * ring(3, 30));  // bucket 1 concurrent with bucket 0, then bucket 2
}

TEST_P(Buckets, ThatCannotBeAreExplained) {
    const auto fault = [&](const ranks::Program& program) { return simulate(ranks(1), program).result.fault->message; };
    const auto with = [&](auto action) {
        return fault([action](GPU& gpu) {
            GradientBuckets sums(gpu, world(gpu), {{.begin = 0, .end = 4, .size = Units{1}}});
            std::vector<double> gradient(4);
            action(sums, gradient);
        });
    };
    EXPECT_THAT(with([](auto& sums, auto& gradient) { sums.ready(1, gradient); }),
                testing::HasSubstr("bucket 1 does not exist: there are 1, from 0 on"));
    EXPECT_THAT(with([](auto& sums, auto& gradient) {
                    sums.ready(0, gradient);
                    sums.ready(0, gradient);
                }),
                testing::HasSubstr("bucket 0 is ready twice in one step; finish() ends a step"));
    EXPECT_THAT(with([](auto& sums, auto& gradient) { sums.finish(std::span(gradient).first(3)); }),
                testing::HasSubstr("bucket 0 is [0, 4) of a gradient of 3 elements"));
}

TEST(CutIntoBuckets, ByCountFromTheLastLayerOnAsEvenAsLayersAllow) {
    const std::vector<Bucket> even = cut_into_buckets(layers_of(4, 25), 2);
    EXPECT_EQ(even, (std::vector<Bucket>{{6, 12, Units{50}}, {0, 6, Units{50}}}));
    const std::vector<std::size_t> lengths{1, 1, 1, 1};
    const std::vector<Size> sizes{Bytes{10}, Bytes{10}, Bytes{10}, Bytes{90}};
    const std::vector<Bucket> uneven = cut_into_buckets(segments_of(lengths, sizes), 3);
    EXPECT_EQ(uneven, (std::vector<Bucket>{{3, 4, Bytes{90}}, {2, 3, Bytes{10}}, {0, 2, Bytes{20}}}));
}

TEST(CutIntoBuckets, ByCountCoversEveryLayerOnceForAnySizes) {
    Random random(5);
    for (int round = 0; round < 500; ++round) {
        std::vector<std::size_t> lengths(static_cast<std::size_t>(1 + random.below(9)), 2);
        std::vector<Size> sizes;
        std::generate_n(std::back_inserter(sizes), lengths.size(), [&] { return Bytes{random.below(4)}; });
        const std::vector<Segment> layers = segments_of(lengths, sizes);
        const int count = 1 + random.below(static_cast<int>(layers.size()));
        std::vector<Bucket> buckets = cut_into_buckets(layers, count);
        ASSERT_EQ(buckets.size(), static_cast<std::size_t>(count));
        std::reverse(buckets.begin(), buckets.end());
        EXPECT_NO_THROW(check_segments(buckets));
        EXPECT_EQ(buckets.back().end, layers.back().end);
        EXPECT_EQ(total_size(buckets), total_size(layers));
    }
}

TEST(CutIntoBuckets, BySizeClosesABucketThatHoldsTheTarget) {
    const std::vector<Bucket> buckets = cut_into_buckets(layers_of(5, 10), Units{15});
    EXPECT_EQ(buckets, (std::vector<Bucket>{{9, 15, Units{20}}, {3, 9, Units{20}}, {0, 3, Units{10}}}));
}

TEST(CutIntoBuckets, ThatCannotBeAreExplained) {
    const std::vector<Segment> layers = layers_of(3, 10);
    EXPECT_THROW(cut_into_buckets(layers, 0), ProgramError);
    EXPECT_THROW(cut_into_buckets(layers, 4), ProgramError);
    EXPECT_THROW(cut_into_buckets(layers, Bytes{10}), ProgramError);
    EXPECT_THROW(cut_into_buckets(std::vector<Segment>{{1, 2, Units{1}}}, 1), ProgramError);
}
