// Duration of a step: every strategy by its closed form, exactly.
#include "tests/strategies/strategy_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace {

using namespace sim;
using namespace sim::test;
using std::chrono::milliseconds;

constexpr const char* small = "--hidden 8 --heads 4 --sequence 4";

// gpu-py
constexpr milliseconds latency{50};
constexpr milliseconds acknowledgement{50};
constexpr milliseconds units_of_compute(int n) {
    return milliseconds{100} * n;
}
constexpr milliseconds units_of_data(int n) {
    return milliseconds{10} * n;
}

Duration time_of(const std::string& line, const Cluster& cluster = gpu_py()) {
    return launched(options_of(line), ranks::Host::fiber, cluster).end.time_since_epoch();
}

// One step, one item per micro-batch: a stage takes 1 s forward and 2 s backward, 1 s of it for the weights.
std::string pipeline(int p, int m, const std::string& schedule, int chunks = 1) {
    return fmt::format(
        "4d_hybrid {} --pp {} --micro-batches {} --items {} --schedule {} --chunks {} --layers {} --compute-units {}",
        small, p, m, m, schedule, chunks, p * chunks, 30 * p);
}

template <class Call>
void for_stages_and_micro_batches(Call&& call) {
    for (int p = 1; p <= 8; ++p) {
        for (const int m : {1, 2, 3, 4, 8, 16}) {
            call(p, m);
        }
    }
}

TEST(PipelineTimes, OnAFreeNetworkAreMPlusPMinusOneMicroBatches) {
    for (const char* const schedule : {"gpipe", "1f1b"}) {
        for_stages_and_micro_batches([&](int p, int m) {
            const std::string line = pipeline(p, m, schedule);
            const scenarios::Outcome outcome = outcome_of_line(line, free_messages());
            EXPECT_EQ(outcome.result.end.time_since_epoch(), (m + p - 1) * std::chrono::seconds{3}) << line;
            EXPECT_DOUBLE_EQ(outcome.bubble_fraction(), (p - 1.0) / (m + p - 1)) << line;
        });
    }
}

// The bubble is (p-1)/(v m) of the time of the work alone.
TEST(PipelineTimes, OfChunksOnAFreeNetworkHaveABubbleDividedByTheirNumber) {
    for (const int chunks : {2, 3}) {
        for_stages_and_micro_batches([&](int p, int m) {
            if (p == 1 || m % p != 0) {
                return;
            }
            const std::string line = pipeline(p, m, "interleaved", chunks);
            const scenarios::Outcome outcome = outcome_of_line(line, free_messages());
            const milliseconds bubble = (p - 1) * milliseconds{3'000} / chunks;
            EXPECT_EQ(outcome.result.end.time_since_epoch(), m * milliseconds{3'000} + bubble) << line;
            EXPECT_DOUBLE_EQ(outcome.bubble_fraction() * outcome.simulated_seconds() / (3.0 * m),
                             (p - 1.0) / (chunks * m))
                << line;
        });
    }
}

TEST(PipelineTimes, OfZeroBubbleOnAFreeNetworkHaveAThirdOfTheBubble) {
    for_stages_and_micro_batches([&](int p, int m) {
        if (m < p) {
            return;
        }
        const scenarios::Outcome whole = outcome_of_line(pipeline(p, m, "1f1b"), free_messages());
        const scenarios::Outcome split = outcome_of_line(pipeline(p, m, "zb_h1"), free_messages());
        const Duration work = std::chrono::seconds{3 * m};
        EXPECT_EQ(split.result.end.time_since_epoch() - work, std::chrono::seconds{p - 1}) << p << " " << m;
        EXPECT_EQ(whole.result.end.time_since_epoch() - work, 3 * std::chrono::seconds{p - 1}) << p << " " << m;
        EXPECT_DOUBLE_EQ(split.bubble_fraction(), (p - 1.0) / (3 * m + p - 1)) << p << " " << m;
    });
}

// The stages as stations of a line, see docs/formulas.md: hops of 20 units of data, 0.25 s.
TEST(PipelineTimes, OfGPipeOnGpuPyAreItsClosedForm) {
    constexpr milliseconds hop = latency + units_of_data(20);
    constexpr milliseconds forward{1'000};
    constexpr milliseconds backward{2'000};
    for_stages_and_micro_batches([&](int p, int m) {
        const std::string line = pipeline(p, m, "gpipe") + " --activation-units 20";
        const milliseconds whole = forward + backward;
        const milliseconds expected =
            p == 1
                ? m * whole
                : whole + (p - 1) * (2 * hop + 2 * acknowledgement + whole) +
                      (m - 1) * (std::max(forward + acknowledgement, hop) + std::max(backward + acknowledgement, hop));
        EXPECT_EQ(time_of(line), expected) << line;
    });
}

// Every p micro-batches wait for one round trip of hops.
TEST(PipelineTimes, OfOneForwardOneBackwardOnGpuPyAreItsClosedForm) {
    constexpr milliseconds hop = latency + units_of_data(20);
    for (int p = 2; p <= 8; ++p) {
        for (const int k : {0, 1, 2}) {
            const int m = 1 + p * k;
            const std::string line = pipeline(p, m, "1f1b") + " --activation-units 20";
            EXPECT_EQ(time_of(line),
                      (m + p - 1) * milliseconds{3'000} + 2 * (p - 1) * (hop + acknowledgement) * (1 + k))
                << line;
        }
    }
}

// Forward takes 3.2 s, backward 1.6 s per layer; each bucket is an all-reduce of a quarter of the gradient.
TEST(DataParallelTimes, OfOverlappedBucketsHideWhatFitsBesideTheBackwardPass) {
    const std::string line = fmt::format("1d_data_parallel {} --ranks 4 --compute-units 24 --buckets 4", small);
    const auto buckets = [](milliseconds backward, milliseconds all_reduce) {
        return milliseconds{3'200} + backward + all_reduce;
    };
    constexpr milliseconds large = 6 * (latency + milliseconds{300} + acknowledgement);   // of 120 units: 2.4 s
    constexpr milliseconds little = 6 * (latency + milliseconds{100} + acknowledgement);  // of 40 units: 1.2 s
    EXPECT_EQ(time_of(line + " --gradient-units 480 --overlap"), buckets(milliseconds{1'600}, 4 * large));
    EXPECT_EQ(time_of(line + " --gradient-units 160 --overlap"), buckets(4 * milliseconds{1'600}, little));
    EXPECT_EQ(time_of(line + " --gradient-units 480"), buckets(4 * milliseconds{1'600}, 4 * large));
    EXPECT_EQ(time_of(line + " --gradient-units 160"), buckets(4 * milliseconds{1'600}, 4 * little));
}

// Buckets of whole layers: 2 buckets start after 2 and after 4 of the layers' backward passes.
TEST(DataParallelTimes, OfOverlappedBucketsOfSeveralLayersFollowTheirRecurrence) {
    for (const int ranks : {2, 4, 8}) {
        for (const int gradient : {160, 480, 1600}) {
            const int items = 16 / ranks;  // per rank; 0.8 s forward, and 0.4 s per layer backward
            const milliseconds all_reduce =
                2 * (ranks - 1) * (latency + units_of_data(gradient) / 2 / ranks + acknowledgement);
            const milliseconds first = items * milliseconds{1'600};
            const milliseconds second = items * milliseconds{2'400};
            EXPECT_EQ(time_of(fmt::format("1d_data_parallel {} --ranks {} --compute-units 24 --gradient-units {} "
                                          "--buckets 2 --overlap",
                                          small, ranks, gradient)),
                      std::max(first + all_reduce, second) + all_reduce)
                << ranks << " " << gradient;
        }
    }
}

// 4 all-reduces per layer and micro-batch.
TEST(TensorParallelTimes, AreTheComputeSharedOutAndFourAllReducesForEachLayerAndMicroBatch) {
    EXPECT_EQ(time_of("4d_hybrid --tp 4"), milliseconds{238'400});  // 8 s + 4 x 4 x 4 x 6 x 0.6 s
    for (const int tp : {1, 2, 4}) {
        for (const int layers : {1, 4}) {
            for (const int micro_batches : {1, 2, 8}) {
                const std::string line =
                    fmt::format("4d_hybrid {} --tp {} --layers {} --micro-batches {} --compute-units 24", small, tp,
                                layers, micro_batches);
                const milliseconds step = latency + units_of_data(16 / micro_batches * 50) / tp + acknowledgement;
                EXPECT_EQ(time_of(line), 16 * units_of_compute(24) / tp + micro_batches * layers * 8 * (tp - 1) * step)
                    << line;
            }
        }
    }
}

// The same, plus the norms' small gradients in one all-reduce that costs 2 (tp-1) latencies and acknowledgements.
TEST(TensorParallelTimes, WithSequenceParallelismAreTheSameAndOneMoreAllReduceOfNothing) {
    for (const int tp : {2, 4}) {
        const std::string line = fmt::format("4d_hybrid {} --tp {}", small, tp);
        EXPECT_EQ(time_of(line + " --sequence-parallel"), time_of(line) + 2 * (tp - 1) * (latency + acknowledgement));
    }
}

// Each rank has 1/cp of the compute; 3 cp - 2 hops per layer and micro-batch; and the gradient's all-reduce.
TEST(ContextParallelTimes, AreTheComputeSharedOutAndTheHopsOfKeysAndValues) {
    for (const int cp : {2, 4}) {
        for (const int micro_batches : {1, 4}) {
            const std::string line =
                fmt::format("4d_hybrid {} --cp {} --micro-batches {} --compute-units 24 --gradient-units 400", small,
                            cp, micro_batches);
            const milliseconds hop = latency + 2 * units_of_data(16 / micro_batches * 50) / cp + acknowledgement;
            EXPECT_EQ(time_of(line), 16 * units_of_compute(24) / cp + 4 * micro_batches * (3 * cp - 2) * hop +
                                         2 * (cp - 1) * (latency + units_of_data(400) / cp + acknowledgement))
                << line;
        }
    }
}

// Each rank has 1/ep of the items; 4 all-to-alls per layer and micro-batch; and the all-reduce of half of the gradient.
TEST(ExpertParallelTimes, AreTheItemsSharedOutAndFourAllToAllsForEachLayerAndMicroBatch) {
    for (const int ep : {2, 4}) {
        for (const int top_k : {1, 2}) {
            const std::string line =
                fmt::format("4d_hybrid {} --ep {} --top-k {} --micro-batches 2 --compute-units 24 --gradient-units 400",
                            small, ep, top_k);
            const milliseconds part = top_k * units_of_data(16 / ep / 2 * 50) / ep;
            EXPECT_EQ(time_of(line), 16 * units_of_compute(24) / ep +
                                         4 * 2 * 4 * (ep - 1) * (latency + part + acknowledgement) +
                                         2 * (ep - 1) * (latency + units_of_data(200) / ep + acknowledgement))
                << line;
        }
    }
}

// Two groups of two ranks with split layers: half the items each, and an all-reduce of half of the gradient between
// them.
TEST(HybridTimes, OfDataAndTensorParallelAreTheSumOfBoth) {
    const milliseconds tensor = 4 * 4 * 8 * (latency + units_of_data(2 * 50) / 2 + acknowledgement);
    const milliseconds data = 2 * (latency + units_of_data(250) / 2 + acknowledgement);
    EXPECT_EQ(time_of(fmt::format("4d_hybrid {} --dp 2 --tp 2 --compute-units 24", small)),
              units_of_compute(16 * 24) / 4 + tensor + data);
}

// GPipe with stages that are longer by the all-reduces over tp: four for each of a stage's layers, in each direction. A
// GPU sends one message after another, so a micro-batch's first all-reduce waits for the previous one's hop.
TEST(HybridTimes, OfPipelineAndTensorParallelAreAPipelineWhoseSumsWaitForItsHops) {
    const milliseconds half_layer = units_of_compute(4 * 24) / (2 * 4 * 6);  // on one of 2 tp ranks, a third of it
    const milliseconds sums = 2 * 4 * (latency + units_of_data(4 * 50) / 2 + acknowledgement);
    const milliseconds forward = 4 * half_layer + sums;
    const milliseconds backward = 8 * half_layer + sums;
    const milliseconds hop = latency + units_of_data(4 * 50);
    EXPECT_EQ(time_of(fmt::format("4d_hybrid {} --pp 2 --tp 2 --schedule gpipe --compute-units 24", small)),
              2 * (forward + backward) + 2 * hop + 2 * acknowledgement +
                  3 * ((forward + hop - half_layer) + (backward + hop - half_layer)));
}

}  // namespace
