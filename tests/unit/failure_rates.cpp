#include "libsim/faults/failure_rates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace {

using namespace sim;
using namespace sim::faults;
using namespace std::chrono_literals;

FailureRates gpus(std::int64_t count, double mean_hours, double shape = 1) {
    FailureRates rates;
    rates[Part::gpu] = {.count = count, .mean_hours = mean_hours, .shape = shape};
    return rates;
}

std::vector<PartFailure> first(const FailureRates& rates, int count, std::uint64_t seed = 1, std::uint64_t run = 0) {
    FailureStream stream(rates, seed, run);
    std::vector<PartFailure> failures;
    for (int i = 0; i < count; ++i) {
        failures.push_back(stream.next());
    }
    return failures;
}

// Failures before the end of a span, on average per run.
double failures_in(const FailureRates& rates, LongDuration span, int runs) {
    int count = 0;
    for (int run = 0; run < runs; ++run) {
        FailureStream stream(rates, 1, static_cast<std::uint64_t>(run));
        for (PartFailure failure = stream.next(); failure.at < span; failure = stream.next()) {
            ++count;
        }
    }
    return static_cast<double>(count) / runs;
}

TEST(FailureRates, GiveTheSameFailuresForTheSameSeed) {
    const FailureRates rates = gpus(100, 1000);
    const std::vector<PartFailure> a = first(rates, 50, 7, 3);
    const std::vector<PartFailure> b = first(rates, 50, 7, 3);
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].at, b[i].at);
        EXPECT_EQ(a[i].which, b[i].which);
    }
    EXPECT_NE(first(rates, 1, 8, 3)[0].at, a[0].at);
    EXPECT_NE(first(rates, 1, 7, 4)[0].at, a[0].at);
}

TEST(FailureRates, HaveAMeanTimeOfAllPartsTogether) {
    // 100 GPUs of 1,000 h fail every 10 h, and so do 10 nodes of 100 h: one failure every 5 h.
    FailureRates rates = gpus(100, 1000);
    rates[Part::node] = {.count = 10, .mean_hours = 100};
    EXPECT_DOUBLE_EQ(rates.failures_per_hour(), 0.2);
    // 200 per run are expected in 1,000 h, with a standard deviation of sqrt(200), divided by 20 for 400 runs.
    EXPECT_NEAR(failures_in(rates, 1000h, 400), 200, 3 * std::sqrt(200.0) / 20);
}

TEST(FailureRates, OfExponentialLifetimesDoubleWithTheMean) {
    const std::vector<PartFailure> once = first(gpus(8, 500), 20);
    const std::vector<PartFailure> twice = first(gpus(8, 1000), 20);
    for (std::size_t i = 0; i < once.size(); ++i) {
        EXPECT_EQ(once[i].which, twice[i].which);
        EXPECT_NEAR(static_cast<double>(twice[i].at.count()), 2.0 * static_cast<double>(once[i].at.count()), 40);
    }
}

TEST(FailureRates, ReachEveryPartAlike) {
    std::array<int, 4> hits{};
    for (const PartFailure& failure : first(gpus(4, 10), 40'000)) {
        ++hits.at(static_cast<std::size_t>(failure.which));
    }
    for (const int hit : hits) {
        EXPECT_NEAR(hit, 10'000, 3 * std::sqrt(40'000 * 0.25 * 0.75));
    }
}

TEST(FailureRates, ComeInTheOrderOfTime) {
    FailureRates rates = gpus(64, 100, 0.7);
    rates[Part::node] = {.count = 8, .mean_hours = 300};
    rates[Part::link] = {.count = 64, .mean_hours = 900, .shape = 3};
    LongDuration before{0};
    std::set<Part> seen;
    for (const PartFailure& failure : first(rates, 2'000)) {
        EXPECT_LE(before, failure.at);
        before = failure.at;
        seen.insert(failure.part);
    }
    EXPECT_EQ(seen.size(), 3U);
}

TEST(FailureRates, OfPartsThatNeverFailGiveNoFailure) {
    EXPECT_EQ(first({}, 1)[0].at, never);
    EXPECT_EQ(first(gpus(0, 5), 1)[0].at, never);
    EXPECT_EQ(first(gpus(5, 0), 1)[0].at, never);
}

// A Weibull stream also fails count x span / mean times in the long run, like an exponential one.
TEST(FailureRates, OfWeibullLifetimesHaveTheirMeanInTheLongRun) {
    for (const double shape : {0.7, 1.5, 3.0}) {
        // 20 parts x 1,000 h / 10 h = 2,000 renewals; the start adds or removes at most one per part.
        EXPECT_NEAR(failures_in(gpus(20, 10, shape), 1000h, 50), 2000, 25) << shape;
    }
}

TEST(FailureRates, OfWeibullLifetimesFailFirstAsTheFirstOfSoMany) {
    // The minimum of n lifetimes is Weibull, too, with n^(-1/shape) times the mean of one: 10,000 parts of shape 2 and
    // 1,000 h fail first after 10 h; the standard deviation is 0.5227 of the mean.
    double sum = 0;
    for (std::uint64_t run = 0; run < 2'000; ++run) {
        sum += hours_of(FailureStream(gpus(10'000, 1000, 2), 1, run).next().at);
    }
    EXPECT_NEAR(sum / 2'000, 10, 3 * 5.227 / std::sqrt(2'000.0));
}

TEST(FailureRates, KnowWhetherTheyRememberAnything) {
    EXPECT_TRUE(gpus(4, 10).memoryless());
    EXPECT_FALSE(gpus(4, 10, 0.8).memoryless());
    EXPECT_TRUE(gpus(0, 10, 0.8).memoryless());
}

TEST(ExponentialNumbers, HaveTheirMeanAndTheirTail) {
    Random random(5, 0);
    double sum = 0;
    int beyond = 0;
    for (int i = 0; i < 100'000; ++i) {
        const double number = random.exponential();
        sum += number;
        beyond += number > 2 ? 1 : 0;
    }
    EXPECT_NEAR(sum / 100'000, 1, 3 / std::sqrt(100'000.0));
    const double tail = std::exp(-2.0);
    EXPECT_NEAR(beyond / 100'000.0, tail, 3 * std::sqrt(tail * (1 - tail) / 100'000));
}

TEST(NumbersBelow, AreEachAsLikely) {
    Random random(5, 1);
    std::array<int, 3> seen{};
    for (int i = 0; i < 30'000; ++i) {
        ++seen.at(static_cast<std::size_t>(random.below(3)));
    }
    for (const int count : seen) {
        EXPECT_NEAR(count, 10'000, 3 * std::sqrt(30'000 * 2.0 / 9));
    }
}

}  // namespace
