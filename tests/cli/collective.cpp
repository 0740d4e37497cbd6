// `ndsim collective` as a user types it.
#include "tests/cli/command.hpp"
#include "tests/support/chrome_rules.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

json rows(const std::string& options) {
    const Said said = run_command("ndsim collective " + options + " --json");
    EXPECT_EQ(said.exit_code, 0) << options << "\n" << said.err;
    return said.exit_code == 0 ? said.json()["rows"] : json::array();
}

TEST(NdsimCollective, PrintsTheTableOfNcclTestsWithTheAlgorithmThatItPicked) {
    // 8 GPUs on one NVSwitch: the ring takes 14 steps of 0.6 us and S/8 at 450 GB/s; halving and doubling takes 6 steps
    // of S/2, S/4, S/8, ….
    const Said said = run_command("ndsim collective all_reduce --sizes 1K,1G");
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_THAT(said.out, StartsWith("# all-reduce on 8 ranks, dgx-h100\n# Wire time, without NCCL's overheads: "));
    EXPECT_THAT(
        said.out,
        HasSubstr("size         count      type  redop   root           time      algbw      busbw  algorithm\n"));
    EXPECT_THAT(
        said.out,
        HasSubstr(
            "1024           256     float    sum     -1           3.60     0.2841     0.4972  halving-doubling\n"));
    EXPECT_THAT(said.out, HasSubstr("# Avg bus bandwidth: "));
}

TEST(NdsimCollective, HasTheBandwidthsOfNcclTests) {
    const std::vector<std::pair<std::string, double>> factors{
        {"all_reduce", 2 * 7.0 / 8}, {"all_gather", 7.0 / 8}, {"reduce_scatter", 7.0 / 8},
        {"alltoall", 7.0 / 8},       {"broadcast", 1},        {"reduce", 1},
        {"gather", 7.0 / 8},         {"sendrecv", 1}};
    for (const auto& [kind, factor] : factors) {
        const json row = rows(kind + " --sizes 1M").at(0);
        EXPECT_EQ(row["bytes"], 1 << 20U) << kind;
        EXPECT_DOUBLE_EQ(row["algbw"], (1 << 20U) / row["seconds"].get<double>()) << kind;
        EXPECT_DOUBLE_EQ(row["busbw"], row["algbw"].get<double>() * factor) << kind;
    }
}

TEST(NdsimCollective, CountsWhatEachRankPassesToTheCall) {
    EXPECT_EQ(rows("all_reduce --sizes 1M").at(0)["count"], 1 << 18U);
    EXPECT_EQ(rows("all_gather --sizes 1M").at(0)["count"], 1 << 15U);
    EXPECT_EQ(rows("all_gather --sizes 1M --type half").at(0)["count"], 1 << 16U);
    EXPECT_EQ(rows("broadcast --root 3 --sizes 1M").at(0)["root"], 3);
}

TEST(NdsimCollective, TakesExactlyAsLongAsItsFormulaOnPrivateLinks) {
    // lab-pcie, 1 MB on 2 ranks: 2 x (467 us + 0.5 MB / 15 GB/s, rounded up to a picosecond).
    const json row = rows("all-reduce --ranks 2 --profile lab-pcie --algorithm ring --sizes 1000000").at(0);
    EXPECT_DOUBLE_EQ(row["seconds"], 2 * 500'333'334e-12);
    EXPECT_EQ(row["found_by"], "closed form");
    EXPECT_EQ(row["messages"], 4);
}

TEST(NdsimCollective, PicksWhatIsFastestSideBySide) {
    const json all = rows("all_reduce --ranks 64 --algorithm all --sizes 1K,1M,1G");
    const json picked = rows("all_reduce --ranks 64 --sizes 1K,1M,1G");
    for (const json& row : picked) {
        double least = 1e9;
        for (const json& other : all) {
            least = other["bytes"] == row["bytes"] ? std::min(least, other["seconds"].get<double>()) : least;
        }
        EXPECT_LE(row["seconds"].get<double>(), least) << row;
        EXPECT_GT(row["considered"].size(), 5);
    }
}

TEST(NdsimCollective, ShowsSeveralAlgorithmsSideBySideAndMarksTheFastest) {
    const Said said = run_command("ndsim collective all_reduce --algorithm ring,direct --sizes 1K,1G");
    EXPECT_THAT(said.out, HasSubstr("ring                   direct\n"));
    EXPECT_THAT(said.out, HasSubstr("*"));
    EXPECT_THAT(said.out, HasSubstr("# Avg bus bandwidth, direct: "));
}

TEST(NdsimCollective, IsTheSameMessageByMessageWithNumbers) {
    for (const char* options :
         {"all_reduce --ranks 12 --topology fat-tree --algorithm all --sizes 1000,100K",
          "alltoall --ranks 16 --sizes 64K", "broadcast --ranks 9 --root 4 --topology ring --sizes 4K --algorithm all",
          "sendrecv --ranks 5 --topology switch --sizes 12K",
          "reduce_scatter --ranks 6 --profile lab-10gbe --sizes 6K"}) {
        for (const json& row : rows(std::string(options) + " --check")) {
            EXPECT_EQ(row["wrong"], 0) << options;
        }
    }
}

TEST(NdsimCollective, SaysHowEachTimeWasFoundAndWhyThatIsExact) {
    const Said said = run_command("ndsim collective all_reduce --algorithm ring --sizes 1M --explain-cost");
    EXPECT_THAT(said.out, HasSubstr("#   ring: closed form, for 112 messages: everybody sends to the same neighbour"));
    const Said considered = run_command("ndsim collective all_reduce --ranks 64 --sizes 1M --explain-cost");
    EXPECT_THAT(considered.out, HasSubstr("#     direct: not timed, its own messages take"));
    const Said apart = run_command("ndsim collective all_reduce --sizes 1M --explain-cost --json");
    EXPECT_TRUE(json::accept(apart.out));
    EXPECT_THAT(apart.err, StartsWith("# 1048576 bytes\n"));
}

TEST(NdsimCollective, WritesCsvAndAPicture) {
    const TemporaryFolder folder;
    const Said said = run_command("ndsim collective all_reduce --algorithm ring,direct --sizes 1K:1M --csv '" +
                                  folder.file("t.csv") + "' --plot '" + folder.file("t.svg") + "'");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    const std::string csv = content_of(folder.file("t.csv"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 11);
    EXPECT_THAT(csv, StartsWith("bytes,count,type,redop,root,algorithm,"));
    EXPECT_THAT(content_of(folder.file("t.svg")), EndsWith("</svg>\n"));
    const Said alone = run_command("ndsim collective all_reduce --algorithm ring,direct --sizes 1K:1M --csv -");
    EXPECT_EQ(alone.out, csv);
}

TEST(NdsimCollective, WritesTheTimelineOfTheLastSizeByItsFastestAlgorithm) {
    const TemporaryFolder folder;
    const std::string trace = folder.file("t.json");
    const Said said = run_command(
        "ndsim collective all_reduce --ranks 4 --algorithm ring,direct --sizes 1K,64M --json "
        "--trace '" +
        trace + "' --report '" + folder.file("t.html") + "'");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.err, "");
    EXPECT_THAT(sim::test::ChromeRules().broken_in(content_of(trace)), testing::IsEmpty());
    int sends = 0;
    std::int64_t end = 0;
    const json written = json::parse(content_of(trace));
    for (const json& event : written["traceEvents"]) {
        if (event["ph"] == "X") {
            sends += event["cat"] == "send" ? 1 : 0;
            end = std::max(end, event["args"]["ps"].get<std::int64_t>() + event["args"]["dur_ps"].get<std::int64_t>());
        }
    }
    // The ring has 2 x 3 steps of 4 messages.
    EXPECT_EQ(sends, 24);
    const json row = said.json()["rows"][2];
    EXPECT_EQ(row["algorithm"], "ring");
    EXPECT_EQ(row["bytes"], 64 << 20);
    EXPECT_DOUBLE_EQ(row["seconds"], static_cast<double>(end) * 1e-12);
    // The trace has a topology, because messages share its links.
    EXPECT_THAT(content_of(folder.file("t.html")), HasSubstr("\"topology\""));
}

TEST(NdsimCollective, DrawsTheTimelineBelowTheTable) {
    // lab-pcie: 467 us + 0.5 MB / 15 GB/s, twice
    const Said said = run_command(
        "ndsim collective all_reduce --ranks 2 --profile lab-pcie --algorithm ring --sizes 1000000 --timeline --ascii");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("\n# Avg bus bandwidth: 0.9993\n\nall-reduce of 1000000: 2 ranks, "
                                    "1.0007 ms; a column is "));
    EXPECT_THAT(said.out, HasSubstr("\nrank 1  >>>>>"));
}

TEST(NdsimCollective, CarriesOutAScheduleOfTheUsersOwn) {
    const TemporaryFolder folder;
    const std::string file = folder.with("swap.schedule",
                                         "collective all-reduce\nranks 2\nchunks 1\nsends input\n"
                                         "step 0: 0 -> 1 chunk 0 reduce\nstep 0: 1 -> 0 chunk 0 reduce\n");
    const json row = rows("all_reduce --profile lab-pcie --sizes 1500000 --check --algorithm '" + file + "'").at(0);
    EXPECT_DOUBLE_EQ(row["seconds"], 467e-6 + 100e-6);
    EXPECT_EQ(row["algorithm"], "custom");
    EXPECT_EQ(row["wrong"], 0);
    EXPECT_THAT(
        run_command("ndsim collective all_reduce --profile lab-pcie --sizes 1500000 --csv - --algorithm '" + file + "'")
            .out,
        HasSubstr(",custom,"));
    EXPECT_THAT(refusal("ndsim collective all_gather --algorithm '" + file + "'"),
                EndsWith("is a schedule of all-reduce, not of all-gather"));
}

TEST(NdsimCollective, LeavesOutSizesOfARangeThatGiveSomeRankNothing) {
    EXPECT_EQ(rows("all_gather --ranks 16 --sizes 32:256").size(), 3);  // 64, 128, 256
    EXPECT_EQ(rows("all_reduce --ranks 16 --sizes 32:256").size(), 4);
}

TEST(NdsimCollective, RefusesWhatCannotBe) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "KIND is missing: all-reduce, all-gather"},
        {"all_reduc", "not \"all_reduc\"; did you mean all-reduce?"},
        {"all_reduce --ranks 0", "--ranks must be a whole number from 1 to 100000, not 0"},
        {"all_reduce --sizes 1X", "--sizes must be a list like 1K,64K,1M or a range like 1K:8G"},
        {"all_reduce --topology dgx-h10", "did you mean dgx-h100?"},
        {"all_reduce --topology dgx-h100 --profile lab-pcie", "both define the links"},
        {"all_reduce --profile gpu-py", "--profile gpu-py does not fit"},
        {"all_reduce --algorithm rign", "not \"rign\"; did you mean ring?"},
        {"all_gather --algorithm parameter-server", "--algorithm must be auto, all, or some of ring,"},
        {"all_reduce --algorithm ring --pieces 4", "takes no pieces"},
        {"broadcast --root 8", "--root must be one of the 8 ranks, 0 to 7, not 8"},
        {"all_gather --sizes 16", "--sizes: 16 leaves some of 8 ranks without a float"},
        {"all_reduce --type flaot", "did you mean float?"},
        {"all_reduce --type half --check", "--check carries floats"},
        {"all_reduce --sizes 1G --check", "--check holds 1G on each of 8 ranks; it goes up to 4G in all"},
        {"sendrecv --algorithm ring", "it has no algorithms"},
        {"all_reduce --json --csv -", "both want standard output"},
        {"all_reduce --algorithm ./none", "none"},
    };
    for (const auto& [options, what] : cases) {
        const std::string said = refusal("ndsim collective " + options);
        EXPECT_THAT(said, StartsWith("ndsim collective: ")) << options;
        EXPECT_THAT(said, HasSubstr(what)) << options;
    }
    EXPECT_THAT(refusal("ndsim collective all_reduce --plot /none/x.svg", 6), HasSubstr("/none/x.svg"));
}

TEST(NdsimCollective, EndsCleanlyWhenItIsInterrupted) {
    // 20 sizes with a quarter of a million messages each.
    const TemporaryFolder folder;
    const std::string csv = folder.file("t.csv");
    const Said said =
        run_command("ndsim collective alltoall --ranks 512 --topology fat-tree --sizes 2K:1G --csv '" + csv + "'",
                    "timeout --preserve-status --signal=INT 0.5");
    if (said.exit_code != 0) {  // a fast machine may finish first
        EXPECT_EQ(said.exit_code, 130);
    }
    EXPECT_THAT(content_of(csv), StartsWith("bytes,count,"));
    EXPECT_THAT(content_of(csv), EndsWith("\n"));
}

// LL takes 6.6 us, 7 hops of 0.6 us, and 7/8 of 1 KiB over 0.5 of 369 GB/s, at most 141 GB/s; LL128 takes 14 us, 7 hops
// of 1.9 us, and 7/8 of 128 MiB over 0.92 of 369 GB/s.
TEST(CollectiveOnAMachine, TakesWhatNcclsModelExpects) {
    const json found = rows("all_gather --machine dgx-h100 --sizes 1K,128M");
    ASSERT_EQ(found.size(), 2);
    EXPECT_NEAR(found[0]["seconds"].get<double>(), 10.8e-6 + 896 / 141e9, 1e-12);
    EXPECT_EQ(found[0]["protocol"], "LL");
    EXPECT_EQ(found[1]["algorithm"], "ring");
    EXPECT_EQ(found[1]["timing"], "nccl");
    EXPECT_FALSE(found[1].contains("messages"));
}

// Covers every collective of a step over several kinds of groups: within a node, one rank per node, and all ranks.
TEST(CollectiveOnAMachine, IsWhatTrainPricesTo) {
    for (const char* layout : {"--tp 8", "--tp 8 --zero 3", "--tp 1 --zero 3", "--tp 4 --ep 1", "--tp 2 --pp 2"}) {
        const Said said =
            run_command(std::string("ndsim train --model llama3-8b --machine dgx-h200 --gpus 32 --json ") + layout);
        const json step = said.json();
        int compared = 0;
        for (const json& use : step["communication"]) {
            const std::string what = use["what"];
            const std::string kind = what.substr(0, what.find(' '));
            if (what.starts_with("messages") || use["bytes"].get<std::int64_t>() % 64 != 0) {
                continue;
            }
            const bool of_a_node = !use["across_nodes"].get<bool>();
            const int members = use["members"];
            const int tp = step["layout"]["tp"];
            const std::string name =
                kind == "reduction" ? step["layout"]["zero"] > 0 ? "reduce-scatter" : "all-reduce" : kind;
            const json row =
                rows(fmt::format("{} --machine dgx-h200 --type int8 --ranks {} --ranks-per-node {} --sizes {}", name,
                                 members, of_a_node ? members : 8 / tp, use["bytes"].get<std::int64_t>()))
                    .at(0);
            // Times are charged in whole picoseconds, rounded up.
            EXPECT_NEAR(row["seconds"].get<double>(), use["seconds_alone"].get<double>(), 1.01e-12) << what << layout;
            EXPECT_EQ(row["algorithm"].get<std::string>() + "/" + row["protocol"].get<std::string>(),
                      use["algorithm"].get<std::string>());
            EXPECT_NEAR(row["busbw"].get<double>() / use["busbw"].get<double>(), 1, 1e-6);
            ++compared;
        }
        EXPECT_GT(compared, 0) << layout;
    }
}

TEST(CollectiveOnAMachine, SaysWhichModelItIsAndWhereTheRanksAre) {
    const auto head = [](const std::string& options) {
        const std::string out = run_command("ndsim collective all_reduce --sizes 1M --machine dgx-h100 " + options).out;
        return out.substr(0, out.find("\n#\n"));
    };
    const std::string nccl = "# NCCL's model: what NCCL's own tuner expects, as ndsim train prices collectives";
    const std::string wire = "# Wire time, without NCCL's overheads: messages at the links' own rates";
    EXPECT_EQ(head(""), "# all-reduce on 8 ranks of dgx-h100, on one node\n" + nccl);
    EXPECT_EQ(head("--ranks 3"), "# all-reduce on 3 ranks of dgx-h100, on one node\n" + nccl);
    EXPECT_EQ(head("--ranks 32"), "# all-reduce on 32 ranks of dgx-h100, 8 on each of 4 nodes\n" + nccl);
    EXPECT_EQ(head("--ranks 12"), "# all-reduce on 12 ranks of dgx-h100, 6 on each of 2 nodes\n" + nccl);
    EXPECT_EQ(head("--ranks 13"), "# all-reduce on 13 ranks of dgx-h100, up to 7 on each of 2 nodes\n" + nccl);
    EXPECT_EQ(head("--ranks 4 --ranks-per-node 1"),
              "# all-reduce on 4 ranks of dgx-h100, 1 on each of 4 nodes\n" + nccl);
    EXPECT_EQ(head("--timing wire"), "# all-reduce on 8 ranks of dgx-h100, on one node\n" + wire);
    EXPECT_EQ(head("--timing both"), "# all-reduce on 8 ranks of dgx-h100, on one node\n" + nccl + "\n" + wire);
}

TEST(CollectiveOnAMachine, HasWiresLikeItsTopology) {
    // Within one node, dgx-h100 is both: 0.6 us a hop, 450 GB/s.
    const json machine = rows("all_reduce --machine dgx-h100 --timing wire --algorithm ring --sizes 1K,64M --check");
    const json topology = rows("all_reduce --topology dgx-h100 --algorithm ring --sizes 1K,64M");
    ASSERT_EQ(machine.size(), 2);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(machine[i]["seconds"].get<double>() / topology[i]["seconds"].get<double>(), 1, 1e-6);
        EXPECT_EQ(machine[i]["wrong"], 0);
        EXPECT_EQ(machine[i]["timing"], "wire");
    }
    // On two nodes, 8 of a ring's 30 steps wait for the network: 2.7 us, 50 GB/s; all of them run at its slowest link.
    const json two = rows("all_reduce --machine dgx-h100 --ranks 16 --timing wire --algorithm ring --sizes 16M");
    EXPECT_GT(two[0]["seconds"].get<double>(), 30 * (1 << 20U) / 50e9);
}

TEST(CollectiveOnAMachine, PutsBothModelsSideBySide) {
    const json both = rows("all_reduce --machine dgx-h100 --ranks 16 --timing both --sizes 1M");
    ASSERT_EQ(both.size(), 2);
    EXPECT_EQ(both[0], rows("all_reduce --machine dgx-h100 --ranks 16 --sizes 1M").at(0));
    EXPECT_EQ(both[1], rows("all_reduce --machine dgx-h100 --ranks 16 --timing wire --sizes 1M").at(0));
    const Said said = run_command("ndsim collective all_reduce --machine dgx-h100 --timing both --sizes 1K,1G");
    EXPECT_THAT(said.out, HasSubstr("             NCCL's model                wire time\n"));
    EXPECT_THAT(said.out, HasSubstr("# Avg bus bandwidth, NCCL's model: "));
    EXPECT_THAT(said.out, HasSubstr("# Avg bus bandwidth, wire time: "));
    EXPECT_THAT(said.out, Not(HasSubstr("*")));
}

TEST(CollectiveOnAMachine, ExplainsNcclsChoice) {
    const Said said = run_command("ndsim collective all_gather --machine dgx-h100 --sizes 1K --explain-cost");
    EXPECT_THAT(said.out, HasSubstr("#   ring/LL: 10.80 us of latency, 0.01 us for 896 bytes that each rank sends on "
                                    "average; NCCL takes what it expects to be the shortest\n"
                                    "#     ring/LL: 10.81 us expected\n#     ring/LL128: 27.30 us expected\n"));
}

TEST(CollectiveOnAMachine, WritesCsvAndAPicture) {
    const TemporaryFolder folder;
    const Said said =
        run_command("ndsim collective all_reduce --machine h100 --timing both --sizes 1M,2M --csv - --plot '" +
                    folder.file("t.svg") + "'");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr(",messages,fastest,timing,protocol\n1048576,262144,float,sum,-1,ring,,,,,"));
    EXPECT_THAT(said.out, HasSubstr(",1,nccl,LL\n"));
    EXPECT_THAT(said.out, HasSubstr(",1,wire,\n"));
    EXPECT_THAT(content_of(folder.file("t.svg")), HasSubstr(">NCCL's model<"));
}

TEST(CollectiveOnAMachine, IsAlsoAFileAndAnAcceleratorsUsualMachine) {
    const TemporaryFolder folder;
    const std::string file = folder.with("half.toml", "base = \"dgx-h100\"\nname = \"half\"\nscale_up = 225e9\n");
    const json half = rows("all_gather --sizes 1G --machine '" + file + "'").at(0);
    const json whole = rows("all_gather --sizes 1G --machine h100").at(0);
    EXPECT_NEAR(half["busbw"].get<double>() / whole["busbw"].get<double>(), 0.5, 0.01);
}

TEST(CollectiveOnAMachine, RefusesMoreRanksThanANodeWhereThereIsOneNode) {
    const TemporaryFolder folder;
    const std::string file = folder.with("station.toml",
                                         "name = \"station\"\naccelerator = \"RTX-4090\"\ngpus_per_node = 2\n"
                                         "scale_up = 25e9\n");
    EXPECT_EQ(rows("all_reduce --sizes 1M --machine '" + file + "'").size(), 1);
    EXPECT_THAT(refusal("ndsim collective all_reduce --sizes 1M --ranks 3 --machine '" + file + "'"),
                EndsWith("--ranks 3 are on 2 nodes of 2 GPUs, and station has no network between nodes"));
}

TEST(CollectiveOnAMachine, RefusesWhatCannotBe) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"--machine dgx-h10", "did you mean dgx-h100?"},
        {"--machine none.toml", "none.toml"},
        {"--machine dgx-h100 --topology dgx-h100", "--machine and --topology or --profile both define the links"},
        {"--machine dgx-h100 --profile lab-pcie", "--machine and --topology or --profile both define the links"},
        {"--timing nccl", "--timing nccl needs --machine NAME"},
        {"--timing both --profile lab-pcie", "--timing both needs --machine NAME"},
        {"--timing slow --machine dgx-h100", "--timing must be nccl or wire or both, not \"slow\""},
        {"--ranks-per-node 4", "--ranks-per-node needs a --machine"},
        {"--machine dgx-h100 --ranks-per-node 9", "from 1 to the 8 GPUs of a node of dgx-h100, not 9"},
        {"--machine dgx-h100 --algorithm ring", "NCCL's model chooses its own algorithm; --timing wire times them"},
        {"--machine dgx-h100 --channels 2", "NCCL's model chooses its own algorithm"},
        {"--machine dgx-h100 --check", "--check is of messages, which NCCL's model does not have"},
        {"--machine dgx-h100 --timeline", "are of messages, which NCCL's model does not have"},
        {"--machine dgx-h100 --root 1", "--root: all-reduce has none"},
    };
    for (const auto& [options, what] : cases) {
        const std::string said = refusal("ndsim collective all_reduce --sizes 1K " + options);
        EXPECT_THAT(said, StartsWith("ndsim collective: ")) << options;
        EXPECT_THAT(said, HasSubstr(what)) << options;
    }
}

TEST(Collective, RefusesARootWhereThereIsNone) {
    EXPECT_EQ(refusal("ndsim collective all_reduce --root 3"),
              "ndsim collective: --root: all-reduce has none; broadcast, reduce, gather and scatter have one");
    EXPECT_EQ(refusal("ndsim collective send-receive --root 0"),
              "ndsim collective: --root: send-receive has none; broadcast, reduce, gather and scatter have one");
    EXPECT_EQ(run_command("ndsim collective broadcast --root 3 --sizes 1K").exit_code, 0);
}

}  // namespace
