// The same mistake, made in Python in the learner's file, is named by `ndsim lab check`.
#include "tests/cli/command.hpp"
#include "tools/labs/lab.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

using namespace sim::labs;

namespace {

struct PythonMistake {
    int lab;
    std::string_view from;  // in solution.py
    std::string_view to;
    std::string_view named;
};

const std::vector<PythonMistake>& python_mistakes() {
    static const std::vector<PythonMistake> all{
        {1, "range(gpu.rank, given.items, ranks)", "range(given.items)", "every-rank-computes-all-items"},
        {1, "        for worker in range(1, ranks):\n            gpu.send(", "            gpu.send(",
         "answered-before-all-were-heard"},
        {2, "range(ranks - 1)", "range(ranks)", "one-step-too-many"},
        {2, "range(ranks - 1):\n        gpu.send(right, chunk_of(gradient, gpu.rank + 1",
         "range(0):\n        gpu.send(right, chunk_of(gradient, gpu.rank + 1", "half-a-ring"},
        {5, "sums.append(start_sum(gpu, gradients, layer, in_a_bucket))",
         "gpu.wait(start_sum(gpu, gradients, layer, in_a_bucket))", "waits-at-once"},
        {5, "in_a_bucket = given.bucket_layers", "in_a_bucket = 1", "layer-by-layer"},
        {7, "send_async", "send", "waits-for-its-sends"},
        {8, "ahead = min(gpu.world_size - 1 - gpu.rank, micro_batches)", "ahead = 0", "no-warm-up"},
        {8, "gpu.world_size - 1 - gpu.rank", "gpu.rank", "warm-up-from-the-wrong-end"},
        {15, "gpu.release(\"activations\", bytes=count * given.bytes_per_item)", "pass", "activations-kept"},
        {15, "micro_batches = 1\n", "micro_batches = items\n", "single-items"},
    };
    return all;
}

class APythonMistake : public testing::TestWithParam<PythonMistake> {};

TEST_P(APythonMistake, IsNamed) {
    const PythonMistake& mistake = GetParam();
    const std::span<const Lab> labs = course();
    const auto lab =
        std::find_if(labs.begin(), labs.end(), [&](const Lab& each) { return each.number == mistake.lab; });
    if (lab == labs.end()) {
        GTEST_SKIP() << "this course has no lab " << mistake.lab;
    }
    std::string text = content_of(fmt::format("{}/docs/labs/{}/solution.py", NDSIM_SOURCE_DIR, lab->folder));
    ASSERT_NE(text.find(mistake.from), std::string::npos) << mistake.from;
    for (std::size_t at = text.find(mistake.from); at != std::string::npos;
         at = text.find(mistake.from, at + mistake.to.size())) {
        text.replace(at, mistake.from.size(), mistake.to);
    }
    const TemporaryFolder folder;
    const std::string desk = folder.file("desk");
    ASSERT_EQ(run_command(fmt::format("ndsim lab start {} {} --python", mistake.lab, desk)).exit_code, 0);
    std::ofstream(desk + "/lab.py") << text;
    const Said said = run_command(fmt::format("ndsim lab check {} {} --json", mistake.lab, desk));
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_EQ(said.json().at("mistake"), std::string(mistake.named)) << said.out << said.err;
}

std::string name_of_mistake(const testing::TestParamInfo<PythonMistake>& which) {
    std::string name = fmt::format("{:02}_{}", which.param.lab, which.param.named);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Course, APythonMistake, testing::ValuesIn(python_mistakes()), name_of_mistake);

}  // namespace
