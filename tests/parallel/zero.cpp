// ZeRO at every stage: the results, the bytes sent, the memory, and the time.
#include "libsim/parallel/zero.hpp"
#include "libsim/error.hpp"
#include "tests/support/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class ZeroStages : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, ZeroStages, both_hosts(), host_name);

// Least squares with weight decay: member r has the row x(r, i) and the target y(r), with one weight per column. The
// forward pass is a dot product, accumulated layer by layer.
double x(int r, std::size_t i) {
    return std::sin(1.0 + 3.0 * r + 0.7 * static_cast<double>(i));
}
double y(int r) {
    return std::cos(2.0 * r);
}
constexpr double decay = 0.01;

struct Sgd {
    void operator()(std::span<double> weights, std::span<const double> gradient) {
        for (std::size_t i = 0; i < weights.size(); ++i) {
            weights[i] -= 0.02 * gradient[i];
        }
    }
};

struct Adam {
    std::vector<double> mean;
    std::vector<double> square;
    int step = 0;

    void operator()(std::span<double> weights, std::span<const double> gradient) {
        mean.resize(weights.size());
        square.resize(weights.size());
        ++step;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            mean[i] = 0.9 * mean[i] + 0.1 * gradient[i];
            square[i] = 0.999 * square[i] + 0.001 * gradient[i] * gradient[i];
            const double m = mean[i] / (1 - std::pow(0.9, step));
            const double v = square[i] / (1 - std::pow(0.999, step));
            weights[i] -= 0.01 * m / (std::sqrt(v) + 1e-8);
        }
    }
};

std::vector<double> initial_weights(std::size_t count) {
    std::vector<double> weights(count);
    std::iota(weights.begin(), weights.end(), 1.0);
    std::transform(weights.begin(), weights.end(), weights.begin(), [](double w) { return std::sin(w); });
    return weights;
}

constexpr int steps = 4;

// The weights that one rank would learn from all rows.
template <class Optimizer>
std::vector<double> learned_alone(int rows, std::size_t count) {
    std::vector<double> weights = initial_weights(count);
    Optimizer optimizer;
    for (int step = 0; step < steps; ++step) {
        std::vector<double> gradient(count, 0.0);
        for (int r = 0; r < rows; ++r) {
            double off = -y(r);
            for (std::size_t i = 0; i < count; ++i) {
                off += x(r, i) * weights[i];
            }
            for (std::size_t i = 0; i < count; ++i) {
                gradient[i] += off * x(r, i) + decay * weights[i];
            }
        }
        optimizer(weights, gradient);
    }
    return weights;
}

struct Costs {
    Units forward{10};
    Units backward{20};
};

template <class Optimizer>
void train(GPU& gpu, const std::vector<Segment>& layers, const ZeroOptions& options, int rounds, const Costs& costs) {
    const int r = gpu.rank();
    const int last = static_cast<int>(layers.size()) - 1;
    std::vector<double> weights = initial_weights(layers.back().end);
    std::vector<double> gradient(weights.size());
    Zero zero(gpu, world(gpu), layers, weights, options);
    Optimizer optimizer;
    for (int round = 0; round < rounds; ++round) {
        double off = -y(r);
        for (int l = 0; l <= last; ++l) {
            const Segment& layer = layers[static_cast<std::size_t>(l)];
            zero.before_use(l, Pass::forward);
            gpu.compute("forward", costs.forward);
            for (std::size_t i = layer.begin; i < layer.end; ++i) {
                off += x(r, i) * weights[i];
            }
            zero.after_use(l);
        }
        for (int l = last; l >= 0; --l) {
            const Segment& layer = layers[static_cast<std::size_t>(l)];
            zero.before_use(l, Pass::backward);
            gpu.compute("backward", costs.backward);
            for (std::size_t i = layer.begin; i < layer.end; ++i) {
                gradient[i] = off * x(r, i) + decay * weights[i];
            }
            zero.gradient_ready(l, gradient);
            zero.after_use(l);
        }
        zero.step(optimizer);
    }
    const std::vector<std::size_t> places = zero.own_places();
    gpu.report("places", std::vector<double>(places.begin(), places.end()));
    gpu.report("own weights", zero.own_weights());
    gpu.report("weights", weights);
}

std::vector<Segment> uneven_layers() {
    return segments_of(std::vector<std::size_t>{7, 3, 1, 10}, std::vector<Size>(4, Units{120}));
}

// Sizes divisible by n for n = 1 … 5.
std::vector<Segment> even_layers(int count) {
    const std::vector<std::size_t> lengths(static_cast<std::size_t>(count), 4);
    return segments_of(lengths, std::vector<Size>(lengths.size(), Units{120}));
}

ranks::Program one_step(int layers, const ZeroOptions& options, const Costs& costs = {}) {
    return [=](GPU& gpu) { train<Sgd>(gpu, even_layers(layers), options, 1, costs); };
}

template <class Optimizer>
void expect_learned(const ranks::LaunchOptions& launch, const ZeroOptions& options) {
    const std::vector<Segment> layers = uneven_layers();
    const Simulation s = simulate_well(launch, [&](GPU& gpu) { train<Optimizer>(gpu, layers, options, steps, {}); });
    const std::vector<double> expected = learned_alone<Optimizer>(launch.ranks, layers.back().end);
    std::vector<double> found(expected.size(), std::nan(""));
    std::size_t owned = 0;
    for (int rank = 0; rank < launch.ranks; ++rank) {
        const std::vector<double>& places = s.result.reports.at("places").at(rank);
        const std::vector<double>& own = s.result.reports.at("own weights").at(rank);
        const std::vector<double>& weights = s.result.reports.at("weights").at(rank);
        for (std::size_t i = 0; i < places.size(); ++i) {
            found[static_cast<std::size_t>(places[i])] = own[i];
            EXPECT_EQ(weights[static_cast<std::size_t>(places[i])], own[i]);
        }
        owned += places.size();
        const auto lost = std::count_if(weights.begin(), weights.end(), [](double w) { return std::isnan(w); });
        EXPECT_EQ(static_cast<std::size_t>(lost), options.stage == 3 ? weights.size() - places.size() : 0);
        if (options.stage < 3) {
            EXPECT_THAT(weights, testing::Pointwise(testing::DoubleNear(1e-12), expected));
        }
    }
    EXPECT_EQ(owned, expected.size());
    EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(1e-12), expected)) << launch.ranks << " ranks";
}

// gpu-py: time of an all-gather or a reduce-scatter of a segment of 120 units.
Duration gathering(int n) {
    return (n - 1) * (100ms + duration_of_seconds(1.2) / n);
}

}  // namespace

TEST_P(ZeroStages, LearnWhatOneRankWouldLearnFromAllData) {
    for (int n = 1; n <= 5; ++n) {
        for (const int stage : {1, 2, 3}) {
            expect_learned<Sgd>(ranks(n), {.stage = stage});
            expect_learned<Adam>(ranks(n), {.stage = stage});
            expect_learned<Adam>(ranks(n), {.stage = stage, .overlap = false, .prefetch = false});
        }
    }
}

TEST_P(ZeroStages, SendTwoOrThreeTimesNMinusOneNthsOfTheWeights) {
    constexpr int layers = 3;
    for (int n = 1; n <= 5; ++n) {
        for (const int stage : {1, 2, 3}) {
            const int passes = stage == 3 ? 3 : 2;
            const Simulation s = simulate_well(ranks(n), one_step(layers, {.stage = stage}));
            for (const RankTotals& totals : s.result.ranks) {
                EXPECT_EQ(totals.billionths_sent, passes * (n - 1) * layers * Units{120}.billionths() / n);
                EXPECT_EQ(totals.messages_sent, passes * (n - 1) * layers);
            }
        }
    }
}

TEST_P(ZeroStages, HoldTheirPartOfWeightsGradientsAndOptimizerStates) {
    constexpr int layers = 3;
    constexpr double segment = 120;
    constexpr double m = layers * segment;
    for (int n = 1; n <= 5; ++n) {
        for (const double alpha : {0.0, 1.0, 2.0}) {
            const auto peak = [&](int stage, bool beside) {
                const ZeroOptions options{
                    .stage = stage, .overlap = beside, .prefetch = beside, .optimizer_states = alpha};
                return simulate_well(ranks(n), one_step(layers, options)).result.ranks.back().peak_billionths;
            };
            for (const bool beside : {true, false}) {
                const double under_way = (beside ? 2 : 1) * segment;
                const double gathered = (beside ? 2 : 1) * segment;
                EXPECT_EQ(peak(1, beside), Units{m * (1 + 1) + alpha * m / n}.billionths());
                EXPECT_EQ(peak(2, beside), Units{m + (1 + alpha) * m / n + under_way}.billionths());
                EXPECT_EQ(peak(3, beside), Units{(1 + 1 + alpha) * m / n + gathered + under_way}.billionths());
            }
        }
    }
}

TEST_P(ZeroStages, HoldAnNthOfWhatIsShardedBetweenSteps) {
    // Alpha 2, four ranks, M = 240 units: M (1 + 1 + 2/4), M (1 + (1 + 2)/4), M (1 + 1 + 2)/4.
    for (const auto& [stage, units] : {std::pair{1, 600.0}, std::pair{2, 420.0}, std::pair{3, 240.0}}) {
        const Simulation s = simulate_well(ranks(4), [stage = stage](GPU& gpu) {
            std::vector<double> weights(8);
            const Zero zero(gpu, world(gpu), even_layers(2), weights, {.stage = stage});
        });
        EXPECT_EQ(s.result.ranks[0].peak_billionths, Units{units}.billionths()) << "stage " << stage;
        const Simulation released = simulate_well(ranks(4), [stage = stage, units = units](GPU& gpu) {
            train<Sgd>(gpu, even_layers(2), {.stage = stage}, 2, {});
            gpu.release("everything", Units{units});  // exactly this much: gathered weights and buffers are gone
            gpu.allocate("something else", Units{10'000});
        });
        EXPECT_EQ(released.result.ranks[0].peak_billionths, Units{10'000}.billionths()) << "stage " << stage;
    }
}

TEST_P(ZeroStages, OneAndTwoTakeTheTimeOfTheirCollectives) {
    constexpr int s = 4;
    for (int n = 1; n <= 5; ++n) {
        const Duration g = gathering(n);
        EXPECT_EQ(simulate_well(ranks(n), one_step(s, {.stage = 1})).end(), s * (1s + 2s + 2 * g));
        EXPECT_EQ(simulate_well(ranks(n), one_step(s, {.stage = 2, .overlap = false})).end(), s * (1s + 2s + 2 * g));
        // 2 s of backward pass hide every reduce-scatter but the last.
        EXPECT_EQ(simulate_well(ranks(n), one_step(s, {.stage = 2})).end(), s * (1s + 2s) + g + s * g);
        // 0.2 s hide only part of one: after the first, the stream is never idle.
        const Costs small{.forward = Units{1}, .backward = Units{2}};
        EXPECT_EQ(simulate_well(ranks(n), one_step(s, {.stage = 2}, small)).end(),
                  s * 100ms + 200ms + (n == 1 ? (s - 1) * 200ms : s * g) + s * g);
    }
}

TEST_P(ZeroStages, ThreeWithoutPrefetchWaitsForEveryGather) {
    constexpr int s = 4;
    for (int n = 1; n <= 5; ++n) {
        const Duration g = gathering(n);
        const ZeroOptions alone{.stage = 3, .overlap = false, .prefetch = false};
        EXPECT_EQ(simulate_well(ranks(n), one_step(s, alone)).end(), s * (g + 1s) + s * (g + 2s + g));
        const ZeroOptions overlapped{.stage = 3, .overlap = true, .prefetch = false};
        EXPECT_EQ(simulate_well(ranks(n), one_step(s, overlapped)).end(), s * (g + 1s) + s * (g + 2s) + g);
    }
}

TEST_P(ZeroStages, ThreeWithPrefetchHidesAllButTheFirstGatherOfAPass) {
    for (int n = 1; n <= 5; ++n) {
        const Duration g = gathering(n);
        for (const int s : {2, 3, 5}) {
            for (const int units : {2, 10, 20, 40}) {
                const Duration f = units * 100ms;
                const Duration b = 2 * f;
                const Duration forward = g + (s - 1) * std::max(f, g) + f;
                const Duration backward = g + std::max(b, g) + (s - 2) * std::max(b, g + g) + std::max(b, g) + g;
                const Costs costs{.forward = Units{units}, .backward = Units{2 * units}};
                EXPECT_EQ(simulate_well(ranks(n), one_step(s, {.stage = 3}, costs)).end(), forward + backward)
                    << n << " ranks, " << s << " layers, " << units << " units";
            }
        }
    }
    // Four ranks, g = 1.2 s, f = 4 s, b = 8 s: only two gathers and one reduce-scatter are exposed.
    const Costs long_enough{.forward = Units{40}, .backward = Units{80}};
    EXPECT_EQ(simulate_well(ranks(4), one_step(5, {.stage = 3}, long_enough)).end(), 5 * (4s + 8s) + 3 * 1200ms);
}

TEST_P(ZeroStages, TwoAndThreeAddUpTheGradientsOfMicroBatches) {
    for (const int stage : {2, 3}) {
        const Simulation s = simulate_well(ranks(3), [stage](GPU& gpu) {
            std::vector<double> weights(4, 0.0);
            Zero zero(gpu, world(gpu), even_layers(1), weights, {.stage = stage, .reduction = Reduction::average});
            for (int batch = 1; batch <= 2; ++batch) {
                std::vector<double> gradient(4, batch * (gpu.rank() + 1.0));
                zero.gradient_ready(0, gradient);
                EXPECT_TRUE(std::isnan(gradient[0]) && std::isnan(gradient[3]));
            }
            zero.finish_gradients();
            gpu.report("gradient", zero.own_gradient());
        });
        EXPECT_EQ(s.result.reports.at("gradient").at(0), (std::vector{6.0, 6.0}));  // (1 + 2) x (1 + 2 + 3) / 3
        EXPECT_EQ(s.result.reports.at("gradient").at(2), (std::vector{6.0}));
    }
}

TEST_P(ZeroStages, ThreeForgetsWhatWasGatheredBeforeTheStep) {
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        std::vector<double> weights(8, 1.0);
        Zero zero(gpu, world(gpu), even_layers(2), weights, {.stage = 3});
        zero.before_use(0, Pass::forward);  // complete, and segment 1 is being gathered
        EXPECT_EQ(weights[0] + weights[3], 2.0);
        zero.step([](std::span<double> own, std::span<const double>) { std::fill(own.begin(), own.end(), 5.0); });
        zero.before_use(0, Pass::forward);
        zero.before_use(1, Pass::forward);
        gpu.report("weights", weights);
    });
    EXPECT_EQ(s.result.reports.at("weights").at(1), std::vector<double>(8, 5.0));
}

TEST_P(ZeroStages, ThatCannotBeAreExplained) {
    const auto message = [&](const ZeroOptions& options, auto action) {
        const Simulation s = simulate(ranks(1), [options, action](GPU& gpu) {
            std::vector<double> weights(8);
            Zero zero(gpu, world(gpu), even_layers(2), weights, options);
            action(zero, weights);
        });
        return s.result.fault->message;
    };
    const auto nothing = [](Zero&, std::vector<double>&) {};
    EXPECT_THAT(message({.stage = 4}, nothing), testing::HasSubstr("the stage of ZeRO must be 1, 2 or 3, not 4"));
    EXPECT_THAT(message({.reduction = Reduction::max}, nothing), testing::HasSubstr("their maximum is not a gradient"));
    EXPECT_THAT(message({.optimizer_states = -1}, nothing), testing::HasSubstr("-1 optimizer states per weight"));
    EXPECT_THAT(message({}, [](Zero& zero, auto&) { zero.before_use(2, Pass::forward); }),
                testing::HasSubstr("segment 2 does not exist: there are 2, from 0 on"));
    EXPECT_THAT(message({.stage = 3}, [](Zero& zero, auto&) { zero.after_use(1); }),
                testing::HasSubstr("segment 1 is not gathered"));
    EXPECT_THAT(message({}, [](Zero& zero, auto&) { zero.finish_gradients(); }),
                testing::HasSubstr("segment 0's gradient is not ready"));
    EXPECT_THAT(message({},
                        [](Zero& zero, auto& gradient) {
                            zero.gradient_ready(0, gradient);
                            zero.gradient_ready(0, gradient);
                        }),
                testing::HasSubstr("segment 0's gradient is ready twice in one step"));
    EXPECT_THAT(message({}, [](Zero& zero, auto& gradient) { zero.gradient_ready(0, std::span(gradient).first(7)); }),
                testing::HasSubstr("a gradient of 7 elements for 8 weights"));
}
