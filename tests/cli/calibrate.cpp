// `ndsim calibrate` and `ndsim hardware import` from outside.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string measured_files = NDSIM_SOURCE_DIR "/docs/examples/calibrate/";

std::string with_nccl_tests(const std::string& more) {
    return "ndsim calibrate --machine dgx-h100 --nccl-tests '" + measured_files + "all_reduce_8.txt' " + more;
}

TEST(NdsimCalibrate, FindsWhatNcclTestsShowAndWritesAMachineThatTrainTakes) {
    const TemporaryFolder folder;
    const std::string out = folder.file("ours.toml");
    const auto json = run_command(with_nccl_tests("--name ours --json --out '" + out + "'")).json();
    // The file was generated with 0.93 and 3 % noise.
    EXPECT_EQ(json["numbers"][0]["name"], "switch_share");
    EXPECT_EQ(json["numbers"][0]["finding"], "found");
    EXPECT_NEAR(json["numbers"][0]["value"], 0.93, 0.05 * 0.93);
    EXPECT_LT(json["files"][0]["error_after"], json["files"][0]["error_before"]);
    const auto hardware = run_command("ndsim hardware '" + out + "' --json").json();
    EXPECT_EQ(hardware["name"], "ours");
    bool notes = false;
    for (const auto& number : hardware["numbers"]) {
        notes = notes || (number["field"] == "efficiency.switch_share" && number["confidence"] == "A" &&
                          std::string(number["source"]).starts_with("24 sizes of nccl-tests (all_reduce_8.txt): +- "));
    }
    EXPECT_TRUE(notes);
    EXPECT_EQ(run_command("ndsim train --model llama3-8b --gpus 64 --tp 2 --machine '" + out + "'").exit_code, 0);
}

TEST(NdsimCalibrate, WritesNothingWhereNoFileIsAskedFor) {
    const Said said = run_command(with_nccl_tests(""));
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, StartsWith("measurements"));
    EXPECT_THAT(said.out, HasSubstr("\nswitch_share"));
    EXPECT_THAT(said.out, HasSubstr("half of the 95 % interval"));
}

TEST(NdsimCalibrate, PrintsAScriptThatPythonUnderstands) {
    const TemporaryFolder folder;
    const Said said = run_command("ndsim calibrate --print-benchmark");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, StartsWith("#!/usr/bin/env python3\n"));
    const std::string script = folder.with("benchmark.py", said.out);
    EXPECT_EQ(std::system(("python3 -m py_compile '" + script + "'").c_str()), 0);
}

TEST(NdsimCalibrate, RefusesWhatItCannotUse) {
    const TemporaryFolder folder;
    const std::string table = folder.with("k.csv", "kind,precision,m,n,k,seconds\nforward,bf16,0,1,1,1\n");
    EXPECT_EQ(
        refusal("ndsim calibrate --nccl-tests x"),
        "ndsim calibrate: --machine is missing: the measured hardware, such as dgx-h100, H100-SXM-80GB, or the file "
        "of ndsim hardware import");
    EXPECT_EQ(
        refusal("ndsim calibrate --machine dgx-h100"),
        "ndsim calibrate: there are no measurements: give --nccl-tests FILE, --benchmark FILE, --profiler-trace FILE "
        "or --runs FILE");
    EXPECT_EQ(refusal("ndsim calibrate --machine dgx-h100 --profiler-trace " + table),
              "ndsim calibrate: " + table +
                  ": is not valid JSON: parse error at line 1, column 1: syntax error while parsing value - invalid "
                  "literal; last read: 'k'");
    EXPECT_EQ(refusal("ndsim calibrate --machine dgx-h100 --benchmark " + table),
              "ndsim calibrate: " + table + ":2: m of forward must be a number above 0, not \"0\"");
    EXPECT_EQ(refusal("ndsim calibrate --machine dgx-h100 --nccl-tests nowhere.txt"),
              "ndsim calibrate: nowhere.txt: No such file or directory");
}

const std::string generation =
    "ndsim calibrate --generation ampere --runs '" NDSIM_SOURCE_DIR "/docs/data/published_runs.json' ";

TEST(NdsimCalibrate, FitsAGenerationToPublishedRuns) {
    const Said said =
        run_command(generation + "--set KORTH-T5 --fields gemm_peak --efficiency ampere.gemm_peak=0.3 --passes 1");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, StartsWith("# before, 4 runs\n"));
    EXPECT_THAT(said.out, HasSubstr("\n# after 2 evaluations, loss "));
    EXPECT_THAT(said.out, testing::EndsWith("\ngemm_peak = 0.33\n"));  // one step of a tenth up
    EXPECT_THAT(said.err, StartsWith("pass 1: loss "));
}

TEST(NdsimCalibrate, PredictsEachSetOfAGenerationByTheOthers) {
    const TemporaryFolder folder;
    const Said said = run_command(generation + "--set KORTH-T5,SC21-T2-PTDP --fields gemm_peak --passes 1 " +
                                  "--leave-one-out '" + folder.file("left.csv") + "'");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, StartsWith("set, left out  runs"));
    EXPECT_THAT(said.out, HasSubstr("\n[uncertainty] of ampere\ndense = "));
    const std::string rows = content_of(folder.file("left.csv"));
    EXPECT_THAT(rows, StartsWith("generation,set,id,predicted_s,measured_s\nampere,"));
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1 + 4 + 2);  // runs of KORTH-T5 and SC21-T2-PTDP
}

TEST(NdsimCalibrate, RefusesOptionsOfTheOtherFit) {
    EXPECT_EQ(refusal("ndsim calibrate --generation ampere"),
              "ndsim calibrate: --runs is missing: published runs on the generation, such as "
              "docs/data/published_runs.json");
    EXPECT_EQ(refusal(generation + "--machine dgx-h100"),
              "ndsim calibrate: --generation is fitted to --runs; leave out --machine");
    EXPECT_EQ(refusal(generation + "--out ours.toml"),
              "ndsim calibrate: --generation prints its numbers; leave out --out");
    EXPECT_EQ(refusal(generation + "--json"),
              "ndsim calibrate: --generation prints lines of a data file; leave out --json");
    EXPECT_EQ(refusal("ndsim calibrate --machine dgx-h100 --fields gemm_peak"),
              "ndsim calibrate: --fields is for --generation");
    EXPECT_EQ(refusal(generation + "--fields gem_peak"),
              "ndsim calibrate: --fields: there is no \"gem_peak\"; did you mean gemm_peak?");
    EXPECT_EQ(refusal(generation + "--set KORTH-T6 --fields gemm_peak").substr(0, 24), "ndsim calibrate: --set: ");
}

TEST(NdsimHardwareImport, MakesAMachineOfNcclsTopology) {
    const TemporaryFolder folder;
    const std::string out = folder.file("ours.toml");
    const Said said = run_command("ndsim hardware import '" + measured_files + "topology.xml' --out '" + out + "'");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, StartsWith("topology: nodes of 8 x H100-SXM-80GB (hopper)\n"));
    const auto json = run_command("ndsim hardware '" + out + "' --json").json();
    EXPECT_EQ(json["gpus_per_node"], 8);
    EXPECT_EQ(json["scale_up"], 450e9);
    EXPECT_EQ(json["scale_out"], 50e9);
}

TEST(NdsimHardwareImport, PrintsTheMachineOfNvidiaSmisMatrix) {
    const std::string import = "ndsim hardware import '" + measured_files + "topology.txt' ";
    const Said said = run_command(import + "--gpu h100 --card-gbit 400 --name ours");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("\nname = \"ours\"\naccelerator = \"H100-SXM-80GB\"\n"));
    EXPECT_THAT(said.out, HasSubstr("\ngpus_per_node = { value = 4, source = \"nvidia-smi topo -m\""));
    EXPECT_THAT(said.out, HasSubstr("\nnic_gbit = { value = 800, "));
    EXPECT_THAT(refusal(import), testing::EndsWith("topology.txt:2: does not identify the GPU; give --gpu NAME"));
}

TEST(NdsimHardwareImport, RefusesWhatItCannotUse) {
    EXPECT_EQ(refusal("ndsim hardware import"), "ndsim hardware: import reads a file: ndsim hardware import FILE");
    EXPECT_EQ(refusal("ndsim hardware dgx-h100 x.xml"),
              "ndsim hardware: unexpected argument \"x.xml\"; only import reads a file of another tool");
    EXPECT_EQ(refusal("ndsim hardware dgx-h100 --gpu h100"), "ndsim hardware: --gpu is an option of import");
}

}  // namespace
