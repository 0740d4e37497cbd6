#include "libsim/predict/what_if.hpp"

#include "libsim/training/hardware.hpp"
#include "libsim/training/presets.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::config;
using namespace sim::predict;

TrainingOptions options_of(const Change& change) {
    TrainingOptions options;
    const std::vector<OptionRow> rows = training_rows(options);
    for (const auto& [name, value] : change) {
        const auto row = std::find_if(rows.begin(), rows.end(), [&, n = name](const auto& r) { return r.name == n; });
        set_option(*row, "--" + name, value_of_text(*row, value));
    }
    return options;
}

TrainingCase case_of(const TrainingOptions& options) {
    return training_case(options, training::preset("gpt3-6.7b"), training::machine("dgx-h100"));
}

// A step split evenly between arithmetic and links between nodes, 1 s each at first.
Prediction half_and_half(const training::Transformer&, const training::Machine& machine, const training::Layout&) {
    const training::Machine plain = training::machine("dgx-h100");
    Prediction step;
    step.step = duration_of_seconds(plain.gpu.bf16_flops / machine.gpu.bf16_flops +
                                    plain.network.across / machine.network.across);
    return step;
}

// 2 s become 1 + 1 / 1.1 s.
TEST(Sensitivities, AreWhatTenPercentMoreSave) {
    const TrainingOptions options = options_of({{"gpus", "64"}});
    const auto found = sensitivities(case_of(options), 2, half_and_half);
    ASSERT_EQ(found.size(), 4U);
    EXPECT_EQ(found[0].what, "arithmetic");
    EXPECT_NEAR(found[0].change, -0.5 / 11, 1e-9);
    EXPECT_NEAR(found[1].change, 0, 1e-9);
    EXPECT_EQ(found[3].what, "links between nodes");
    EXPECT_NEAR(found[3].change, -0.5 / 11, 1e-9);
}

TEST(Sensitivities, LeaveOutLinksThatAreNotThere) {
    const TrainingOptions options = options_of({{"gpus", "8"}});
    EXPECT_EQ(sensitivities(case_of(options), 2, half_and_half).size(), 3U);
}

TEST(Changed, KeepsTheGpusAndTheBatch) {
    const TrainingOptions options = options_of({{"dp", "16"}, {"tp", "4"}});
    const TrainingCase before = case_of(options);
    const TrainingCase after = changed(options, before, {{"tp", "2"}, {"micro-batch", "2"}});
    EXPECT_EQ(after.layout.parallelism.dp, 32);
    EXPECT_EQ(after.gpus(), before.gpus());
    EXPECT_EQ(after.layout.batch.global, before.layout.batch.global);
    EXPECT_EQ(after.layout.batch.micro, 2);
}

// The predictor favours only tp 4.
TEST(Advice, IsTheNeighbourThatWasPredictedFaster) {
    const TrainingOptions options = options_of({{"gpus", "64"}, {"tp", "2"}});
    const auto likes_four = [](const training::Transformer&, const training::Machine&, const training::Layout& layout) {
        Prediction step;
        step.step = std::chrono::seconds{layout.parallelism.tp == 4 ? 9 : 10};
        return step;
    };
    const AdviceList list = advice(options, case_of(options), 10, likes_four);
    ASSERT_FALSE(list.tried.empty());
    EXPECT_EQ(typed(list.tried[0].change).substr(0, 6), "--tp 4");
    EXPECT_NEAR(list.tried[0].gain, 0.1, 1e-9);
    EXPECT_EQ(list.tried[1].gain, 0);
}

// dp was given, so it must be given again; the batch was not, and would follow dp.
TEST(Advice, SaysAllThatHasToBeTyped) {
    const TrainingOptions options = options_of({{"dp", "32"}, {"tp", "2"}});
    const auto equal = [](const training::Transformer&, const training::Machine&, const training::Layout&) {
        Prediction step;
        step.step = std::chrono::seconds{1};
        return step;
    };
    const TrainingCase what = case_of(options);
    const AdviceList list = advice(options, what, 1, equal);
    const auto four = std::find_if(list.tried.begin(), list.tried.end(), [](const Advice& one) {
        return one.change.front() == std::pair<std::string, std::string>{"tp", "4"};
    });
    ASSERT_NE(four, list.tried.end());
    EXPECT_EQ(typed(four->change), fmt::format("--tp 4 --dp 16 --global-batch {}", what.layout.batch.global));
}

// Modules require selective recomputation, and offloaded layers require none.
TEST(Advice, TakesBackWhatAChangeExcludes) {
    const auto advised = [](Change said, const Change& change) {
        said.insert(said.end(), {{"gpus", "8"}, {"zero", "1"}});
        const TrainingOptions options = options_of(said);
        const auto equal = [](const training::Transformer&, const training::Machine&, const training::Layout&) {
            Prediction step;
            step.step = std::chrono::seconds{1};
            return step;
        };
        std::vector<std::string> found;
        for (const Advice& one : advice(options, case_of(options), 1, equal).tried) {
            if (one.change.front() == change.front()) {
                found.push_back(typed(one.change));
            }
        }
        return found;
    };
    EXPECT_EQ(advised({{"recompute", "selective"}, {"recompute-modules", "layernorm"}}, {{"recompute", "full"}}),
              std::vector<std::string>{"--recompute full --recompute-modules core_attn"});
    EXPECT_EQ(advised({{"offload-layers", "4"}}, {{"recompute", "full"}}),
              std::vector<std::string>{"--recompute full --offload-layers 0"});
}

}  // namespace
