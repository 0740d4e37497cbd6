// Output of the executables: summary, JSON, log lines, trace.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using testing::HasSubstr;

TEST(Json, HasTheContractsKeysInTheirOrder) {
    const Said said = run_command("1d_data_parallel --json --quiet");
    const ordered_json r = ordered_json::parse(said.out);
    std::vector<std::string> keys;
    for (const auto& [key, value] : r.items()) {
        keys.push_back(key);
    }
    EXPECT_THAT(keys,
                testing::ElementsAre("scenario", "host", "clock", "profile", "ranks", "mesh", "options", "given",
                                     "simulated_seconds", "wall_seconds", "sequential_seconds", "speedup", "efficiency",
                                     "bubble_fraction", "recovery", "per_rank", "loss_before", "loss", "weights_sha256",
                                     "max_weight_difference", "timeline_sha256", "messages", "ops", "processes"));
    EXPECT_EQ(r["mesh"].dump(), R"({"dp":4,"tp":1,"pp":1,"ep":1,"cp":1})");
    EXPECT_EQ(r["scenario"], "1d_data_parallel");
    EXPECT_EQ(r["host"], "process");
    EXPECT_EQ(r["clock"], "virtual");
    EXPECT_EQ(r["profile"], "gpu-py");
    EXPECT_EQ(r["bubble_fraction"], 0.0);
    EXPECT_EQ(r["weights_sha256"].get<std::string>().size(), 64U);
    EXPECT_EQ(r["timeline_sha256"].get<std::string>().size(), 64U);
    std::vector<std::string> rank_keys;
    for (const auto& [key, value] : r["per_rank"][0].items()) {
        rank_keys.push_back(key);
    }
    EXPECT_THAT(rank_keys,
                testing::ElementsAre("rank", "pid", "compute_seconds", "communication_seconds", "idle_seconds",
                                     "bytes_sent", "units_sent", "messages_sent", "peak_memory_units"));
    EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 1);
}

TEST(Json, OfProcessesHasAPidForEachRank) {
    const json r = run_command("1d_data_parallel --json --quiet").json();
    std::map<int, int> ranks_of_pid;
    for (const json& rank : r["per_rank"]) {
        ++ranks_of_pid[rank["pid"].get<int>()];
    }
    EXPECT_EQ(ranks_of_pid.size(), 4U);
}

TEST(Json, SaysWhichProcessesARunReallyWas) {
    const json r = run_command("1d_data_parallel --json --quiet").json();
    const json processes = r["processes"];
    EXPECT_GT(processes["launcher_peak_resident_bytes"], 1'000'000);
    ASSERT_EQ(processes["ranks"].size(), 4U);
    for (std::size_t rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(processes["ranks"][rank]["pid"], r["per_rank"][rank]["pid"]);
        EXPECT_NE(processes["ranks"][rank]["pid"], processes["launcher_pid"]);
        EXPECT_GT(processes["ranks"][rank]["peak_resident_bytes"], 100'000);
        EXPECT_GE(processes["ranks"][rank]["cpu_seconds"], 0.0);
    }
    EXPECT_EQ(run_command("1d_data_parallel --host fiber --json --quiet").json()["processes"], nullptr);
}

TEST(Log, TellsWhatEveryRankDoesWithItsPid) {
    const Said said = run_command("1d_data_parallel --json");
    const json r = said.json();
    const auto line = [&](const char* at, int rank, const std::string& text) {
        const int pid = r["per_rank"][static_cast<std::size_t>(rank)]["pid"].get<int>();
        return fmt::format("{:>9}s [PID {}] Rank {}: {}\n", at, pid, rank, text);
    };
    EXPECT_THAT(said.err, testing::StartsWith(line("0.000", 0, "Starting compute: Process item 0 (20 units)") +
                                              line("0.000", 1, "Starting compute: Process item 4 (20 units)")));
    EXPECT_THAT(said.err, HasSubstr(line("2.000", 0, "Finished compute: Process item 0 (took 2.000s)")));
    EXPECT_THAT(said.err, HasSubstr(line("8.000", 3, "Initiating send: all-reduce (125 units) to Rank 0")));
    EXPECT_THAT(said.err, HasSubstr(line("9.300", 3, "Finished send: all-reduce to Rank 0 (took 1.300s)")));
    EXPECT_THAT(said.err, HasSubstr(line("9.300", 0, "Expecting receive: all-reduce (125 units) from Rank 3")));
    EXPECT_THAT(said.err, HasSubstr(line("9.350", 0, "Finished receive: all-reduce from Rank 3 (ack delay 0.050s)")));
    // 4 ranks x (4 items + 6 sends + 6 receives) x 2 lines
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 128);
}

// Lines without pids, in the order printed.
std::vector<std::string> story(const std::string& options) {
    const std::string err = run_command("1d_data_parallel " + options).err;
    std::istringstream in(err);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        const std::size_t pid = line.find("[PID ");
        lines.push_back(line.erase(pid, line.find(']') + 1 - pid));
    }
    return lines;
}

TEST(Log, InStepWithTheWallsClockSaysTheSame) {
    // The story is in order of time; ranks that act at the same instant may come in any order.
    EXPECT_THAT(story("--clock wall --time-scale 0.005"), testing::UnorderedElementsAreArray(story("")));
}

TEST(Log, IsShortenedUnlessVerboseAndSilentIfQuiet) {
    const auto lines = [](const std::string& options) {
        const std::string err = run_command("0d_sequential --items 1000 " + options).err;
        return std::count(err.begin(), err.end(), '\n');
    };
    EXPECT_EQ(lines(""), 301);
    EXPECT_EQ(lines("--verbose"), 2000);
    EXPECT_EQ(lines("--quiet"), 0);
}

TEST(Summary, SaysWhereTheTimeWent) {
    const std::string out = run_command("1d_data_parallel --quiet").out;
    EXPECT_THAT(out, HasSubstr("16.100 s; 0D takes 32.000 s"));
    EXPECT_THAT(out, HasSubstr("1.99x on 4 ranks: efficiency 49.7 %"));
    EXPECT_THAT(out, HasSubstr("49.7 % compute, 50.3 % communication, 0.0 % idle, of 4 x 16.100 s"));
    EXPECT_THAT(out, HasSubstr("a rank spends 8.100 s of 16.100 s on average with messages"));
    EXPECT_THAT(out, HasSubstr("the same as 0D's"));
    EXPECT_EQ(out.find('\x1b'), std::string::npos);
}

TEST(Summary, OfManyRanksShowsTheExtremesAndSaysSo) {
    const std::string out = run_command("1d_data_parallel --quiet --host fiber --ranks 50 --items 75").out;
    EXPECT_THAT(out, HasSubstr("of 50 ranks, and those with the least and most of each time"));
    EXPECT_LT(std::count(out.begin(), out.end(), '\n'), 25);
}

TEST(Trace, IsValidAndItsArrowsHaveBothEnds) {
    const TemporaryFolder folder;
    const std::string file = folder.file("trace.json");
    ASSERT_EQ(run_command("1d_data_parallel --quiet --trace '" + file + "'").exit_code, 0);
    const json events = json::parse(content_of(file)).at("traceEvents");
    std::map<std::string, int> phases;
    std::map<std::uint64_t, std::pair<int, int>> arrows;  // departures and arrivals per message
    for (const json& e : events) {
        const std::string phase = e["ph"];
        ++phases[phase];
        if (phase == "s" || phase == "f") {
            auto& [departures, arrivals] = arrows[e["id"].get<std::uint64_t>()];
            ++(phase == "s" ? departures : arrivals);
            EXPECT_EQ(e.contains("bp"), phase == "f");
        }
    }
    // 4 ranks x (4 items + 6 sends + 6 receives), 24 messages; names and sort orders of 4 ranks with 3 threads each;
    // 4 ranks x (weights, gradients, optimizer states, and activations that come and go with each of 4 items)
    EXPECT_EQ(phases, (std::map<std::string, int>{
                          {"X", 64}, {"s", 24}, {"f", 24}, {"M", 2 * 4 + 2 * 12}, {"C", 4 * (3 + 2 * 4)}}));
    EXPECT_EQ(arrows.size(), 24U);
    for (const auto& [id, ends] : arrows) {
        EXPECT_EQ(ends, std::make_pair(1, 1)) << id;
    }
}

TEST(Trace, IsTheSameForBothHosts) {
    for (const char* options :
         {"1d_data_parallel --ranks 3", "1d_data_parallel --overlap --buckets 4", "1d_data_parallel --zero 3 --overlap",
          "3d_pipeline_parallel --schedule zb_h1", "4d_hybrid"}) {
        const TemporaryFolder folder;
        for (const char* host : {"process", "fiber"}) {
            const std::string file = folder.file(host);
            ASSERT_EQ(run_command(fmt::format("{} --quiet --host {} --trace '{}'", options, host, file)).exit_code, 0);
        }
        EXPECT_NE(content_of(folder.file("fiber")), "");
        EXPECT_EQ(content_of(folder.file("process")), content_of(folder.file("fiber"))) << options;
    }
}

TEST(Trace, HasARowForEachStreamAndMemoryThatEndsWhereItBegan) {
    const TemporaryFolder folder;
    const std::string file = folder.file("trace.json");
    ASSERT_EQ(run_command("1d_data_parallel --overlap --buckets 2 --quiet --trace '" + file + "'").exit_code, 0);
    std::map<std::string, int> threads;
    std::map<int, std::vector<double>> memory;  // by rank
    const json events = json::parse(content_of(file)).at("traceEvents");
    for (const json& e : events) {
        if (e["name"] == "thread_name") {
            ++threads[e["args"]["name"].get<std::string>()];
        } else if (e["ph"] == "C") {
            memory[e["pid"].get<int>()].push_back(e["args"]["in use"].get<double>());
        }
    }
    EXPECT_EQ(threads, (std::map<std::string, int>{{"compute", 4}, {"stream 1", 4}}));
    // weights and gradients of 500 units, no optimizer states; 4 items x 4 layers x 50 units of activations
    ASSERT_EQ(memory.size(), 4U);
    for (const auto& [rank, curve] : memory) {
        EXPECT_EQ(curve, (std::vector<double>{500, 1000, 1000, 1800, 1000})) << rank;
    }
}

TEST(ShowSchedule, PrintsWhatEachStageDoesAndRunsNothing) {
    const Said said = run_command("3d_pipeline_parallel --show-schedule --ranks 2 --micro-batches 2");
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_EQ(said.err, "");
    EXPECT_EQ(said.out,
              "1f1b: one forward, one backward: as fast as gpipe, keeps at most p - i micro-batches on stage i\n"
              "F is 1 unit of time, B 2; messages take none; . is idle\n"
              "\n"
              "stage 0  F0 F1 .  .  B0--- .  B1---\n"
              "stage 1  .  F0 B0--- F1 B1--- .  .\n"
              "\n"
              "in flight at most: 2 1\n"
              "bubble: 6 of 2 x 9 units of time = 33.3 %\n"  // (p-1) / (m+p-1)
              "\n"
              "stage 0: F0 F1 B0 B1\n"
              "stage 1: F0 B0 F1 B1\n");
}

TEST(MachineLimit, OfMemoryIsToldBeforeTheRunWithWhatWouldFit) {
    const Said said = run_command("1d_data_parallel --ranks 100000 --host fiber --hidden 1024 --layers 64 --quiet");
    EXPECT_EQ(said.exit_code, 7);
    EXPECT_EQ(said.out, "");
    EXPECT_THAT(said.err,
                testing::MatchesRegex("1d_data_parallel: 100000 ranks that really train need about [0-9]+ GB, and "
                                      "this machine has [0-9]+ GB; [0-9]+ ranks would fit, more with a smaller "
                                      "--hidden\n"));
}

TEST(Help, EndsWithThreeExamplesOrMoreThatRun) {
    for (const char* name :
         {"0d_sequential", "1d_data_parallel", "2d_tensor_parallel", "3d_pipeline_parallel", "4d_hybrid"}) {
        const Said said = run_command(fmt::format("{} --help", name));
        EXPECT_EQ(said.exit_code, 0);
        EXPECT_EQ(said.err, "");
        std::istringstream examples(said.out.substr(said.out.find("Examples:\n") + 10));
        int count = 0;
        for (std::string example; std::getline(examples, example) && !example.empty(); ++count) {
            // Runs the example as printed, in an empty folder; only its waiting is left out.
            const TemporaryFolder folder;
            static const std::regex scale("--time-scale [0-9.]+");
            const std::string typed = std::regex_replace(example.substr(2, example.find('#') - 2), scale, "");
            const std::string line = typed + " --quiet --time-scale 0";
            const Said ran = run_command(line, "cd '" + folder.file("") + "' &&");
            EXPECT_EQ(ran.exit_code, 0) << example << "\n" << ran.err;
            EXPECT_NE(example.find('#'), std::string::npos) << example;
        }
        EXPECT_GE(count, 3) << name;
    }
}

TEST(Version, IsOneLine) {
    const Said said = run_command("0d_sequential --version");
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_THAT(said.out, testing::StartsWith("ndsim "));
    EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 1);
}

TEST(Config, IsOverruledByTheCommandLine) {
    const TemporaryFolder folder;
    const std::string file = folder.with("run.toml", "items = 4\ncompute-units = 1\nquiet = true\njson = true\n");
    EXPECT_EQ(run_command("0d_sequential --config '" + file + "'").json()["simulated_seconds"], 0.4);
    EXPECT_EQ(run_command("0d_sequential --items 8 --config '" + file + "'").json()["simulated_seconds"], 0.8);
}

TEST(Config, NamesNoFileToWrite) {
    const TemporaryFolder folder;
    const std::string there = folder.with("there", "as it was");
    const std::vector<std::pair<const char*, const char*>> cases{
        {"0d_sequential", "trace"},
        {"1d_data_parallel", "report"},
        {"2d_tensor_parallel", "svg"},
        {"3d_pipeline_parallel", "trace"},
        {"4d_hybrid", "goal"},
        {"distributed_hello", "chakra"},
        {"communication_profile", "csv"},
        {"ndsim train --model llama3-8b --gpus 8", "csv"},
        {"ndsim sweep --model llama3-8b --gpus 8", "out"},
        {"ndsim validate docs/data/published_runs.json", "out"},
        {"ndsim plan --model llama3-8b --gpus 8", "svg"},
        {"ndsim collective all-reduce --ranks 4", "csv"}};
    for (const auto& [command, key] : cases) {
        const std::string file = folder.with("run.toml", fmt::format("{} = \"{}\"\n", key, there));
        const Said said = run_command(fmt::format("{} --config '{}'", command, file));
        EXPECT_EQ(said.exit_code, 2) << command << said.err;
        EXPECT_THAT(said.err, testing::HasSubstr(fmt::format("run.toml:1: {} names a file to write, and only the "
                                                             "command line may; say --{} there",
                                                             key, key)))
            << command;
    }
    EXPECT_EQ(content_of(there), "as it was");
}

TEST(Trace, OnStandardOutputTakesTheSummarysPlace) {
    const TemporaryFolder folder;
    for (const std::string line : {"1d_data_parallel", "distributed_hello"}) {
        const Said said = run_command(line + " --quiet --host fiber --trace -", "cd '" + folder.file("") + "';");
        EXPECT_EQ(said.exit_code, 0) << said.err;
        EXPECT_TRUE(said.json().at("traceEvents").is_array()) << line;
    }
    EXPECT_FALSE(std::filesystem::exists(folder.file("-")));
    EXPECT_EQ(WEXITSTATUS(std::system("'" NDSIM_BIN_DIR "'/0d_sequential --quiet --trace - >/dev/full 2>/dev/null")),
              6);
}

}  // namespace
