// Totals of a training step on few GPUs, kernel by kernel and byte by byte.
#include "libsim/training/block_time.hpp"
#include "libsim/training/parameters.hpp"
#include "tests/support/training_steps.hpp"

#include <map>

namespace sim::training {

using namespace test;

namespace {

Duration sum_of(const std::vector<KernelSpan>& kernels) {
    Duration sum{0};
    for (const KernelSpan& kernel : kernels) {
        sum += kernel.time;
    }
    return sum;
}

const BlockGroups alone{};

// Bytes of a rank's collectives and messages, by label.
std::map<std::string, std::int64_t> bytes_of_step(const Transformer& model, const Layout& layout, int of_rank = 0) {
    std::map<std::string, std::int64_t> bytes;
    run_step(plan_step(model, plain_machine(), layout), true, [&](const Span& span) {
        if (span.rank == of_rank && (span.kind == OpKind::collective || span.kind == OpKind::send)) {
            bytes[*span.label] += span.amount;
        }
    });
    return bytes;
}

constexpr const char* gathered = "all-gather of parameters";
constexpr const char* scattered = "reduce-scatter of gradients";
constexpr const char* reduced = "all-reduce of gradients";

}  // namespace

TEST(StepOfOneGpu, IsTheSumOfItsKernelsAndOverheads) {
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
        for (const bool flash : {true, false}) {
            for (const Transformer& model : {small_gpt(5), small_moe(3)}) {
                const Layout layout{.batch = {.micro = 2, .global = 6},
                                    .framework = {.recompute = recompute, .flash_attention = flash}};
                const Machine machine = plain_machine();
                BlockTimes times(model, machine, layout, alone);
                Duration micro_batch = duration_of_seconds(machine.gpu.efficiency.micro_batch_overhead);
                for (int layer = 0; layer < model.layers; ++layer) {
                    micro_batch += sum_of(times.forward_kernels(layer)) + sum_of(times.backward_kernels(layer));
                }
                for (const BlockTime& end : {times.of_embedding(), times.of_output()}) {
                    micro_batch += end.forward.total() + end.backward();
                }
                const StepPlan plan = plan_step(model, machine, layout);
                EXPECT_EQ(run_step(plan, true).end - Time{}, duration_of_seconds(machine.gpu.efficiency.step_overhead) +
                                                                 3 * micro_batch + plan.stages[0].optimizer.total());
            }
        }
    }
}

TEST(StepOfOneGpu, UpdatesWhatAdamReadsAndWrites) {
    const StepPlan plan = plan_step(small_gpt(), plain_machine(), {});
    // 12 B of states read and written, 4 B of gradient and 2 of parameters; the norm reads the gradients, the update
    // reads and clears them.
    const double bytes = static_cast<double>(parameters_of(small_gpt()).total()) * (24 + 4 + 4 + 2 + 8);
    const double rate = 2e12 * plain_machine().gpu.efficiency.memory_share;
    EXPECT_EQ(plan.stages[0].optimizer.total(), duration_of_seconds(bytes / rate));
}

TEST(BytesOfAStep, OfTensorParallelismAreFourCollectivesOf2sbhPerLayer) {
    for (const bool sequence_parallel : {false, true}) {
        const Layout layout{.parallelism = {.tp = 8, .sequence_parallel = sequence_parallel},
                            .batch = {.micro = 3, .global = 3}};
        double all_reduced = 0;  // an all-gather or a reduce-scatter is half an all-reduce
        for (const Operator& op : layer_operators(small_gpt(), layout, 0)) {
            for (const std::optional<CollectiveKind> kind : {op.forward_collective, op.backward_collective}) {
                if (op.kind == OperatorKind::tensor && kind) {
                    all_reduced += op.forward_bytes * (kind == CollectiveKind::all_reduce ? 1 : 0.5);
                }
            }
        }
        EXPECT_EQ(all_reduced, 4 * 2.0 * 512 * 3 * 1024);
    }
}

TEST(BytesOfAStep, OfDataParallelismAreThoseOfParametersAndGradients) {
    const std::int64_t parameters = parameters_of(small_gpt()).total();
    EXPECT_EQ(bytes_of_step(small_gpt(), {.parallelism = {.dp = 4}, .batch = {.global = 8}})[reduced], 4 * parameters);
    for (const int zero : {1, 2}) {
        auto bytes = bytes_of_step(small_gpt(), {.parallelism = {.dp = 4, .zero = zero}, .batch = {.global = 8}});
        EXPECT_EQ(bytes[scattered],
                  (zero == 2 ? 2 : 1) * 4 * parameters);  // for each of 2 micro-batches, or for their sum
        EXPECT_EQ(bytes[gathered], 2 * parameters);
        EXPECT_EQ(bytes[reduced], 0);
    }
}

// An all-reduce is a reduce-scatter and an all-gather. The parameters of the last layer and of the final norm are still
// gathered when the backward pass begins with them.
TEST(BytesOfAStep, OfFullShardingAreThreeTimesTheParametersAgainstTwo) {
    const Transformer model = small_gpt();
    const auto all = static_cast<double>(parameters_of(model).total());
    auto plain =
        bytes_of_step(model, {.parallelism = {.dp = 4}, .batch = {.global = 4}, .numerics = {.fp32_gradients = false}});
    EXPECT_EQ(2.0 * static_cast<double>(plain[reduced]), 2 * 2 * all);
    auto sharded = bytes_of_step(
        model, {.parallelism = {.dp = 4, .zero = 3}, .batch = {.global = 4}, .numerics = {.fp32_gradients = false}});
    const auto kept = static_cast<double>(layer_parameters(model, 7).total() + parameters_of(model).final_norm);
    EXPECT_EQ(static_cast<double>(sharded[gathered] + sharded[scattered]), 3 * 2 * all - 2 * kept);
    // Each micro-batch gathers and reduces again.
    auto twice = bytes_of_step(
        model, {.parallelism = {.dp = 4, .zero = 3}, .batch = {.global = 8}, .numerics = {.fp32_gradients = false}});
    EXPECT_EQ(twice[gathered], 2 * sharded[gathered]);
    EXPECT_EQ(twice[scattered], 2 * sharded[scattered]);
}

TEST(BytesOfAStep, OfAPipelineAre2sbhPerBoundaryMicroBatchAndDirection) {
    const std::int64_t boundary = 2L * 512 * 3 * 1024;
    Layout layout{.parallelism = {.pp = 4}, .batch = {.micro = 3, .global = 30}};
    const auto of = [&](int stage) { return bytes_of_step(small_gpt(), layout, stage); };
    EXPECT_EQ(of(0)["activation"], 10 * boundary);
    EXPECT_EQ(of(0)["gradient"], 0);
    EXPECT_EQ(of(1)["activation"], 10 * boundary);
    EXPECT_EQ(of(1)["gradient"], 10 * boundary);
    EXPECT_EQ(of(3)["gradient"], 10 * boundary);
    layout.parallelism.tp = 4;  // scatter/gather: each rank sends its part
    EXPECT_EQ(of(1)["activation"], 10 * boundary / 4);
    layout.framework.scatter_gather = false;
    EXPECT_EQ(of(1)["activation"], 10 * boundary);
    layout = {.parallelism = {.pp = 4, .schedule = pipeline_schedule("interleaved"), .interleave = 2},
              .batch = {.micro = 3, .global = 24}};
    EXPECT_EQ(of(1)["activation"], 2 * 8 * boundary);
}

}  // namespace sim::training
