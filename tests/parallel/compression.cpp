// Compressed gradients: the results match a reference, and no gradient is lost forever.
#include "libsim/collectives/bfloat16.hpp"
#include "libsim/error.hpp"
#include "libsim/parallel/gradient_buckets.hpp"
#include "tests/support/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class Compressed : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, Compressed, both_hosts(), host_name);

constexpr std::size_t length = 100;
constexpr int steps = 6;
const std::vector<Bucket> two_buckets{{.begin = 40, .end = 100, .size = Units{60}},
                                      {.begin = 0, .end = 40, .size = Units{40}}};

std::vector<double> gradient_of(int rank, int step) {
    std::vector<double> gradient(length);
    for (std::size_t i = 0; i < length; ++i) {
        gradient[i] = std::sin(1.0 + 7.0 * rank + 3.0 * step + 0.9 * static_cast<double>(i) * (rank + 1));
    }
    return gradient;
}

std::string name_of_step(int step) {
    return fmt::format("sum {}", step);
}

// Reports every rank's sum after each step.
Simulation summed(const ranks::LaunchOptions& launch, const BucketOptions& options) {
    return simulate_well(launch, [&](GPU& gpu) {
        GradientBuckets sums(gpu, world(gpu), two_buckets, options);
        for (int step = 0; step < steps; ++step) {
            std::vector<double> gradient = gradient_of(gpu.rank(), step);
            sums.ready(0, gradient);
            sums.ready(1, gradient);
            sums.finish(gradient);
            gpu.report(name_of_step(step), gradient);
        }
    });
}

// One member's contribution to a bucket, which is removed from `values`.
std::vector<double> top_k_sent(std::span<double> values, std::size_t k) {
    std::vector<double> sent(values.size(), 0.0);
    for (std::size_t round = 0; round < k; ++round) {
        const auto largest = std::max_element(values.begin(), values.end(),
                                              [](double a, double b) { return std::abs(a) < std::abs(b); });
        sent[static_cast<std::size_t>(largest - values.begin())] = *largest;
        *largest = 0;
    }
    return sent;
}

std::vector<double> rounded_sent(std::span<double> values, std::size_t) {
    std::vector<double> sent(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        sent[i] = static_cast<double>(Bfloat16(values[i]));
        values[i] -= sent[i];
    }
    return sent;
}

double add(double a, double b) {
    return a + b;
}
double add_rounded(double a, double b) {
    return static_cast<double>(Bfloat16(a + b));
}

// The same computation in a plain loop, rank by rank.
struct Reference {
    std::vector<std::vector<double>> remembered;
    std::vector<double> result;

    explicit Reference(int ranks) : remembered(static_cast<std::size_t>(ranks), std::vector<double>(length)) {}

    template <class Send, class Add>
    void step(int number, double fraction, const Send& send, const Add& plus) {
        result.assign(length, 0.0);
        for (std::size_t rank = 0; rank < remembered.size(); ++rank) {
            std::vector<double>& values = remembered[rank];
            const std::vector<double> gradient = gradient_of(static_cast<int>(rank), number);
            std::transform(values.begin(), values.end(), gradient.begin(), values.begin(), add);
            for (const Bucket& bucket : two_buckets) {
                const auto k = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(bucket.length())));
                const auto sent = send(std::span(values).subspan(bucket.begin, bucket.length()), k);
                const auto into = result.begin() + static_cast<std::ptrdiff_t>(bucket.begin);
                std::transform(sent.begin(), sent.end(), into, into, [&](double s, double r) { return plus(r, s); });
            }
        }
    }
};

// Each rank pulls every weight towards its own target, with its own strength.
double strength(int rank, std::size_t i) {
    return 1.0 + 0.5 * std::sin(2.0 * rank + 5.0 * static_cast<double>(i));
}
double target(int rank, std::size_t i) {
    return std::cos(3.0 * rank + static_cast<double>(i));
}

// Distance from the optimum after 600 steps of gradient descent with a decreasing step length.
double distance_left(const ranks::LaunchOptions& launch, const Compression& compression, bool remembers) {
    const Simulation s = simulate_well(launch, [&](GPU& gpu) {
        const BucketOptions options{.compression = compression};
        GradientBuckets sums(gpu, world(gpu), two_buckets, options);
        std::vector<double> weights(length, 0.0);
        for (int step = 0; step < 600; ++step) {
            if (!remembers) {
                sums = GradientBuckets(gpu, world(gpu), two_buckets, options);
            }
            std::vector<double> gradient(length);
            for (std::size_t i = 0; i < length; ++i) {
                gradient[i] = strength(gpu.rank(), i) * (weights[i] - target(gpu.rank(), i));
            }
            sums.finish(gradient);
            for (std::size_t i = 0; i < length; ++i) {
                weights[i] -= 1.0 / (40 + step) * gradient[i];
            }
        }
        gpu.report("weights", weights);
    });
    double farthest = 0;
    for (std::size_t i = 0; i < length; ++i) {
        double pull = 0;
        double all = 0;
        for (int rank = 0; rank < launch.ranks; ++rank) {
            pull += strength(rank, i) * target(rank, i);
            all += strength(rank, i);
        }
        farthest = std::max(farthest, std::abs(s.result.reports.at("weights").at(0)[i] - pull / all));
    }
    return farthest;
}

}  // namespace

TEST_P(Compressed, TopKSumsTheLargestOfEachMemberAndWhatItRemembers) {
    for (const int n : {1, 2, 3, 5}) {
        const Simulation s = summed(ranks(n), {.compression = TopK{0.11}});
        Reference reference(n);
        for (int step = 0; step < steps; ++step) {
            reference.step(step, 0.11, top_k_sent, add);
            for (int rank = 0; rank < n; ++rank) {
                EXPECT_EQ(s.result.reports.at(name_of_step(step)).at(rank), reference.result) << n << " ranks";
            }
        }
    }
}

TEST_P(Compressed, SixteenBitsSumRoundedNumbersAndRememberTheRounding) {
    for (const int n : {1, 2, 4}) {
        const Simulation s = summed(ranks(n), {.config = Algorithm::direct, .compression = SixteenBit{}});
        Reference reference(n);
        for (int step = 0; step < steps; ++step) {
            reference.step(step, 1.0, rounded_sent, add_rounded);
            for (int rank = 0; rank < n; ++rank) {
                EXPECT_EQ(s.result.reports.at(name_of_step(step)).at(rank), reference.result) << n << " ranks";
            }
        }
    }
}

TEST_P(Compressed, WhatWasSentAndWhatIsRememberedIsTheSumOfAllGradients) {
    for (const Compression& compression : {Compression{TopK{0.05}}, Compression{SixteenBit{}}}) {
        const Simulation s = simulate_well(ranks(1), [&](GPU& gpu) {
            CompressedSum sum(compression, length);
            std::vector<double> missing(length, 0.0);  // gradients minus what was sent
            for (int step = 0; step < steps; ++step) {
                std::vector<double> gradient = gradient_of(0, step);
                std::transform(missing.begin(), missing.end(), gradient.begin(), missing.begin(), add);
                sum.all_reduce(gpu, world(gpu), gradient, Units{100});
                std::transform(missing.begin(), missing.end(), gradient.begin(), missing.begin(), std::minus<>{});
            }
            gpu.report("missing", missing);
            gpu.report("remembered", sum.remembered());
        });
        EXPECT_THAT(s.result.reports.at("missing").at(0),
                    testing::Pointwise(testing::DoubleNear(1e-14), s.result.reports.at("remembered").at(0)));
    }
}

TEST_P(Compressed, AnAverageIsTheSumDividedByTheMembers) {
    for (const Compression& compression : {Compression{TopK{0.3}}, Compression{SixteenBit{}}}) {
        const Simulation sum = summed(ranks(3), {.compression = compression});
        const Simulation average = summed(ranks(3), {.reduction = Reduction::average, .compression = compression});
        std::vector<double> third = sum.result.reports.at("sum 0").at(1);
        std::transform(third.begin(), third.end(), third.begin(), [](double v) { return v / 3; });
        EXPECT_EQ(average.result.reports.at("sum 0").at(1), third);
    }
}

TEST_P(Compressed, TopKSendsPairsToEveryMember) {
    // 10 % of 100 elements that cost 100 units: 10 pairs, 20 units, sent to three others: 3 x (0.1 s + 0.2 s).
    const auto program = [](GPU& gpu) {
        CompressedSum sum(TopK{0.1}, length);
        std::vector<double> gradient = gradient_of(gpu.rank(), 0);
        sum.all_reduce(gpu, world(gpu), gradient, Units{100});
    };
    const Simulation s = simulate_well(ranks(4), program);
    EXPECT_EQ(s.end(), 900ms);
    for (const RankTotals& totals : s.result.ranks) {
        EXPECT_EQ(totals.billionths_sent, Units{60}.billionths());
        EXPECT_EQ(totals.messages_sent, 3);
    }
}

TEST_P(Compressed, SixteenBitsCostHalfAnAllReduce) {
    // A ring of 4, 50 units instead of 100: 6 x (0.1 s + 0.125 s).
    const Simulation s = simulate_well(ranks(4), [](GPU& gpu) {
        CompressedSum sum(SixteenBit{}, length);
        std::vector<double> gradient = gradient_of(gpu.rank(), 0);
        sum.all_reduce(gpu, world(gpu), gradient, Units{100});
    });
    EXPECT_EQ(s.end(), 1350ms);
    for (const RankTotals& totals : s.result.ranks) {
        EXPECT_EQ(totals.billionths_sent, Units{75}.billionths());
        EXPECT_EQ(totals.messages_sent, 6);
    }
}

TEST_P(Compressed, DescentComesNearTheBestWeightsBecauseOfWhatIsRemembered) {
    EXPECT_LT(distance_left(ranks(4), SixteenBit{}, true), 0.001);
    EXPECT_LT(distance_left(ranks(4), TopK{0.1}, true), 0.02);
    EXPECT_GT(distance_left(ranks(4), TopK{0.1}, false), 0.15);  // elements of conflicting gradients are never sent
}

TEST(TopKChoice, TakesTheLargestByMagnitudeAndOfEqualsTheFirst) {
    const std::vector<double> values{1, -3, 2, 3, -2, 0};
    EXPECT_EQ(places_of_largest(values, 1), (std::vector<std::size_t>{1}));
    EXPECT_EQ(places_of_largest(values, 3), (std::vector<std::size_t>{1, 2, 3}));
    EXPECT_EQ(places_of_largest(values, 9), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(places_of_largest(std::vector<double>{5, std::nan(""), 9}, 1), (std::vector<std::size_t>{1}));
}

TEST(TopKChoice, SendsOneAtLeastAndAllAtMost) {
    EXPECT_EQ(top_k_count({0.001}, 10), 1U);
    EXPECT_EQ(top_k_count({0.11}, 10), 2U);
    EXPECT_EQ(top_k_count({0.07}, 100), 7U);
    EXPECT_EQ(top_k_count({1.0}, 10), 10U);
    EXPECT_EQ(top_k_count({0.5}, 0), 0U);
}

TEST(CompressedSums, ThatCannotBeAreExplained) {
    EXPECT_THROW(CompressedSum(TopK{0.0}, 4), ProgramError);
    EXPECT_THROW(CompressedSum(TopK{1.5}, 4), ProgramError);
    EXPECT_THROW(CompressedSum(TopK{std::nan("")}, 4), ProgramError);
    const auto fault = [](std::size_t given, Reduction reduction) {
        return simulate({.ranks = 1, .host = ranks::Host::fiber},
                        [=](GPU& gpu) {
                            std::vector<double> gradient(given);
                            CompressedSum(TopK{0.5}, 4).all_reduce(gpu, world(gpu), gradient, Units{1}, reduction);
                        })
            .result.fault->message;
    };
    EXPECT_THAT(fault(5, Reduction::sum), testing::HasSubstr("a sum of 4 elements is given 5"));
    EXPECT_THAT(fault(4, Reduction::max), testing::HasSubstr("its maximum has no meaning"));
}
