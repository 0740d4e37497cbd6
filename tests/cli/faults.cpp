// Faults from outside: the output of runs with faults, and the rank that is found to be at fault.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace {

using nlohmann::json;
using testing::HasSubstr;

json straggler_section(const std::string& line) {
    const json sections = run_command("ndsim explain " + line + " --json").json()["sections"];
    return sections.contains("stragglers") ? sections["stragglers"] : json();
}

TEST(FaultsOfScenarios, CostTheSameOnBothHosts) {
    for (const char* const fault : {"slow rank 2 x2.5 from 2s to 9s", "stop rank 1 at 3s for 2s", "slow link 0-1 x4"}) {
        const std::string line = fmt::format("1d_data_parallel --quiet --json --fault '{}'", fault);
        const json processes = run_command(line).json();
        const json fibers = run_command(line + " --host fiber").json();
        EXPECT_EQ(processes["timeline_sha256"], fibers["timeline_sha256"]) << fault;
        EXPECT_EQ(processes["given"]["fault"], fault);
    }
}

TEST(FaultsOfScenarios, EndARunWithTheExitCodeOfWhatHappened) {
    const Said killed = run_command("4d_hybrid --quiet --host fiber --fault 'kill rank 3 at 2s'");
    EXPECT_EQ(killed.exit_code, 4);
    EXPECT_THAT(killed.err, HasSubstr("rank 3 was killed after op "));
    const Said cut_off = run_command("1d_data_parallel --quiet --host fiber --json --fault 'drop nic 2 at 9s'");
    EXPECT_EQ(cut_off.exit_code, 5);
    EXPECT_THAT(cut_off.err, HasSubstr("not get through, as was asked"));
    EXPECT_TRUE(cut_off.json()["fault"]["rank"].is_null());
    EXPECT_EQ(cut_off.json()["fault"]["asked"], json({"drop nic 2 at 9s"}));
}

TEST(FaultsOfScenarios, ThatCannotBeAreRefusedWithWhatThereIs) {
    const Said no_rank = run_command("1d_data_parallel --fault 'slow rank 4 x2'");
    EXPECT_EQ(no_rank.exit_code, 2);
    EXPECT_EQ(no_rank.err,
              "1d_data_parallel: --fault 'slow rank 4 x2': there is no rank 4 to slow down: ranks are 0 to 3\n");
    const Said no_node = run_command("ndsim train --model llama3-8b --gpus 8 --fault 'kill node 1 at 1s'");
    EXPECT_EQ(no_node.exit_code, 2);
    EXPECT_THAT(no_node.err, HasSubstr("there is no node 1 to kill: nodes are 0 to 0"));
}

TEST(FaultsOfScenarios, LeaveTheSlowRankLessWhereSharesFollowSpeed) {
    const std::string line = "1d_data_parallel --quiet --json --host fiber --fault 'slow rank 2 x2'";
    // 4 items of 2 s take rank 2 16 s; with --weighted the 16 items are split 5, 5, 2 and 4: 10 s at most.
    EXPECT_EQ(run_command(line).json()["simulated_seconds"], 24.1);
    EXPECT_EQ(run_command(line + " --weighted").json()["simulated_seconds"], 18.1);
}

TEST(FaultsOfAStep, AreComparedWithTheStepWithoutThem) {
    const std::string line = "ndsim train --model llama3-8b --gpus 8 --tp 8 --json";
    const json undisturbed = run_command(line).json();
    const json slow = run_command(line + " --fault 'slow rank 3 x1.3'").json();
    EXPECT_EQ(slow["undisturbed_step_seconds"], undisturbed["step_seconds"]);
    EXPECT_EQ(slow["faults"], json({"slow rank 3 x1.3"}));
    EXPECT_EQ(slow["simulated_ranks"], 8);
    EXPECT_GT(slow["step_seconds"].get<double>(), 1.25 * undisturbed["step_seconds"].get<double>());
    EXPECT_LE(slow["step_seconds"].get<double>(), 1.3 * undisturbed["step_seconds"].get<double>());
}

TEST(FaultsOfAStep, ThatBreakItNameWhoCanNeverGoOn) {
    const Said said = run_command("ndsim train --model llama3-8b --gpus 8 --zero 2 --fault 'kill rank 3 at 1s'");
    EXPECT_EQ(said.exit_code, 4);
    EXPECT_THAT(said.err, HasSubstr("the step does not end: GPU 3 dies, as was asked; 7 others can never go on"));
}

TEST(Blame, FallsOnTheRankThatWasMadeSlow) {
    const json section = straggler_section("1d_data_parallel --fault 'slow rank 2 x2'");
    EXPECT_EQ(section["figures"]["rank"]["value"], 2);
    EXPECT_EQ(section["figures"]["factor"]["value"], 2.0);
    EXPECT_EQ(section["figures"]["lost_seconds"]["value"], 8.0);
    EXPECT_EQ(section["tables"]["ranks"]["rows"].size(), 1U);
}

TEST(Blame, FallsOnNobodyInAnEvenRun) {
    EXPECT_TRUE(straggler_section("1d_data_parallel").is_null());
}

TEST(Blame, IsFoundInATraceAlone) {
    const TemporaryFolder folder;
    const std::string trace = folder.file("slow.ndjson");
    run_command("1d_data_parallel --quiet --host fiber --fault 'slow link 0-1 x4' --trace " + trace);
    const json found = run_command("ndsim trace summary --json " + trace).json()["stragglers"];
    ASSERT_EQ(found["links"].size(), 1U);
    EXPECT_EQ(found["links"][0]["source"], 0);
    EXPECT_EQ(found["links"][0]["target"], 1);
    EXPECT_EQ(found["links"][0]["factor"], 4.0);
    EXPECT_TRUE(found["ranks"].empty());
}

}  // namespace
