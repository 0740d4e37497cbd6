// Layers whose activations are in host memory between the passes: the memory left on the GPU, and the time of the
// copies.
#include "libsim/training/check_layout.hpp"
#include "libsim/training/memory.hpp"
#include "libsim/training/memory/stage_bytes.hpp"
#include "tests/support/training_steps.hpp"

namespace sim::training {

using namespace test;

namespace {

Layout offloading(int layers) {
    return {.parallelism = {.dp = 4, .zero = 3}, .batch = {.global = 8}, .framework = {.offloaded_layers = layers}};
}

Machine with_link(double bytes_per_second) {
    Machine machine = plain_machine();
    machine.host_link = bytes_per_second;
    return machine;
}

double kept(int offloaded) {
    const Layout layout = offloading(offloaded);
    return stage_bytes(small_gpt(8), layout, layout_bytes(small_gpt(8), layout), 0).chunks[0].kept;
}

GradientBucket passes(int offloaded, double link) {
    return plan_step(small_gpt(8), with_link(link), offloading(offloaded)).stages[0].chunks[0].whole;
}

std::string refused(const Layout& layout, double link = 25e9) {
    std::string text;
    for (const LayoutProblem& problem : problems_of(small_gpt(8), with_link(link), layout)) {
        text += problem.misfit == Misfit::combination ? problem.what : "";
    }
    return text;
}

}  // namespace

// One layer is computing, and one is being copied.
TEST(OffloadedLayers, LeaveTwoOfThemselvesOnTheGpu) {
    const double layer = static_cast<double>(layer_activations(small_gpt(8), offloading(0), 0));
    EXPECT_EQ(kept(1), kept(0));
    EXPECT_EQ(kept(2), kept(0));
    EXPECT_EQ(kept(6), kept(0) - 4 * layer);
    EXPECT_EQ(kept(7), kept(0) - 5 * layer);
}

TEST(OffloadedLayers, TakeNoTimeWhereTheLinkIsFasterThanTheLayers) {
    EXPECT_EQ(passes(7, 1e15).forward.total(), passes(0, 1e15).forward.total());
    EXPECT_EQ(passes(7, 1e15).backward().total(), passes(0, 1e15).backward().total());
}

// Each of 5 layers takes as long as its copy, in both directions.
TEST(OffloadedLayers, TakeAsLongAsTheirCopiesWhereTheLinkIsSlower) {
    constexpr double link = 1e8;
    const double bytes = static_cast<double>(layer_activations(small_gpt(8), offloading(0), 0));
    const Duration copy = duration_of_seconds(bytes / link);
    const GradientBucket all = passes(0, link);
    const TimeParts layers =
        plan_step(small_gpt(8), with_link(link), offloading(0)).stages[0].chunks[0].buckets[3].forward;
    const Duration forward = layers.total();
    EXPECT_EQ(passes(5, link).forward.total() - all.forward.total(), 5 * (copy - forward));
    const Duration backward =
        plan_step(small_gpt(8), with_link(link), offloading(0)).stages[0].chunks[0].buckets[3].backward().total();
    EXPECT_EQ(passes(5, link).backward().total() - all.backward().total(), 5 * (copy - backward));
}

TEST(OffloadedLayers, AreRefusedWhereMegatronRefusesThem) {
    EXPECT_EQ(refused(offloading(7)), "");
    EXPECT_EQ(refused(offloading(8)), "offload-layers = 8: 7 at most");
    EXPECT_EQ(refused(offloading(4), 0), "offload-layers = 4: plain has no link to the host (host_link = 0)");
    Layout staged = offloading(4);
    staged.parallelism.pp = 2;
    EXPECT_EQ(refused(staged), "offload-layers = 4: not with stages, and pp is 2");
    Layout full = offloading(4);
    full.framework.recompute = Recompute::full;
    EXPECT_EQ(refused(full), "offload-layers = 4: not with recomputation, and recompute is full");
    Layout graphs = offloading(4);
    graphs.framework.cuda_graphs = CudaGraphs::partial;
    EXPECT_EQ(refused(graphs), "offload-layers = 4: not with CUDA graphs, and cuda-graphs is partial");
}

}  // namespace sim::training
