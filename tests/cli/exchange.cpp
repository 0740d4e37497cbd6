// Scenarios exported as other tools' schedules and traces, which reproduce the run when they are run again.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace {

using nlohmann::json;

// End of each rank's last span.
json ends_of_ranks(const std::string& ndjson) {
    std::map<int, std::int64_t> ends;
    std::istringstream lines(ndjson);
    for (std::string line; std::getline(lines, line);) {
        const json span = json::parse(line);
        std::int64_t& end = ends[span.at("rank").get<int>()];
        end = std::max(end, span.at("end_ps").get<std::int64_t>());
    }
    json all;
    for (const auto& [rank, end] : ends) {
        all.push_back(end);
    }
    return all;
}

// A scenario, with its own profiles in addition to the built-in ones.
class Exchange : public testing::TestWithParam<std::string> {
protected:
    Exchange() {
        const std::string units = "[compute]\nseconds_per_unit = 1e-4\n";
        folder_.with("loggp.toml", "kind = \"loggp\"\n" + units +
                                       "[network]\nbytes_per_unit = 1000\nlatency_seconds = 1e-6\n"
                                       "overhead_seconds = 200e-9\ngap_per_byte_seconds = 2e-9\n");
        folder_.with("pod.toml", "kind = \"cluster\"\n" + units +
                                     "[network]\nbytes_per_unit = 1000000\n[topology]\nname = \"dgx-h100\"\n");
    }

    Said run(const std::string& line) const {
        Said said = run_command(line, fmt::format("cd '{}';", folder_.file("")));
        EXPECT_EQ(said.exit_code, 0) << line << "\n" << said.err;
        return said;
    }

    TemporaryFolder folder_;
};

TEST_P(Exchange, AGoalScheduleGivesBackTheFinishOfEveryRank) {
    run(GetParam() + " --quiet --goal program.goal --trace spans.ndjson");
    const std::string goal = content_of(folder_.file("program.goal"));
    // The schedule's comment gives the options.
    const std::string command = "ndsim goal FILE";
    const std::size_t begin = goal.find(command) + command.size();
    const std::string options = goal.substr(begin, goal.find("\nnum_ranks") - begin);
    const Said back = run("ndsim goal program.goal" + options + " --json");
    EXPECT_EQ(back.json()["rank_finish"], ends_of_ranks(content_of(folder_.file("spans.ndjson"))));
}

TEST_P(Exchange, ChakraTracesGiveBackTheTimeline) {
    const json ran = run(GetParam() + " --quiet --json --chakra traces").json();
    const Said back = run(fmt::format("ndsim chakra traces --profile {} --json", ran["profile"].get<std::string>()));
    EXPECT_EQ(back.json()["timeline_sha256"], ran["timeline_sha256"]);
    EXPECT_EQ(back.json()["simulated_seconds"], ran["simulated_seconds"]);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Exchange,
                         testing::Values("0d_sequential", "1d_data_parallel", "1d_data_parallel --overlap --buckets 3",
                                         "1d_data_parallel --host fiber --ranks 8 --zero 3",
                                         "1d_data_parallel --overlap --buckets 3 --profile loggp.toml",
                                         "2d_tensor_parallel --profile pod.toml",
                                         "3d_pipeline_parallel --schedule interleaved --chunks 2",
                                         "3d_pipeline_parallel --profile loggp.toml", "4d_hybrid",
                                         "4d_hybrid --profile pod.toml --host fiber", "distributed_hello",
                                         "distributed_hello --profile lab-nvlink"));

TEST_F(Exchange, HasNothingOfARunThatFails) {
    const Said said = run_command("distributed_hello --mismatch --quiet --goal program.goal --chakra traces",
                                  fmt::format("cd '{}';", folder_.file("")));
    EXPECT_EQ(said.exit_code, 3);
    EXPECT_EQ(content_of(folder_.file("program.goal")), "");
}

// The step's collectives are exported either as the messages of their algorithms or as collectives.
TEST_F(Exchange, APredictedStepIsAProgramToo) {
    const std::string step = "ndsim train --model gpt2 --gpus 8 --tp 2 --pp 2 --json";
    run(step + " --unfold --goal step.goal --chakra traces");
    const json goal = run("ndsim goal step.goal --topology dgx-h100 --json").json();
    const json chakra = run("ndsim chakra traces --topology dgx-h100 --json").json();
    EXPECT_EQ(goal["rank_finish"].size(), 8U);
    EXPECT_EQ(chakra["rank_finish_ps"], goal["rank_finish"]) << "on one network both take as long";
    EXPECT_EQ(refusal(step + " --chakra traces"),
              "ndsim train: --goal and --chakra write the operations of every rank; add --unfold");
}

}  // namespace
