// `ndsim topology` from outside.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(NdsimTopology, SaysWhatItIsMadeOfAndHowFarItsGpusAreApart) {
    const Said said = run_command("ndsim topology dgx-h100 --ranks 64");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out,
                StartsWith("dgx-h100: 64 GPUs, 64 NICs, 8 node switches, 8 network switches\nlevels: 8 GPUs\n"));
    EXPECT_THAT(said.out, HasSubstr("\n  128  GPU - NIC              63 GB/s   0.7 us\n"));
    EXPECT_THAT(said.out, HasSubstr("hops       2 to 6, mean 5.333\n  latency    0.6 us to 3.3 us\n"));
    EXPECT_THAT(said.out, HasSubstr("bisection bandwidth, each way: 1600 GB/s (by its formula)"));
}

TEST(NdsimTopology, PrintsARouteHopByHop) {
    const Said said = run_command("ndsim topology ring --ranks 8 --route 0,6");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.out,
              "ring: from 0 to 6\n\n"
              "  1  gpu 0 > gpu 7  50 GB/s  0.5 us\n"
              "  2  gpu 7 > gpu 6  50 GB/s  0.5 us\n"
              "\n  2 hops, 1 us, 50 GB/s\n");
}

TEST(NdsimTopology, AsJsonHoldsTheSame) {
    const auto json = run_command("ndsim topology fat-tree --ranks 32 --route 0,31 --json").json();
    EXPECT_EQ(json["gpus"], 32);
    EXPECT_EQ(json["vertices"]["network switch"], 8 + 4);
    EXPECT_EQ(json["hops"]["min"], 2);
    EXPECT_EQ(json["hops"]["max"], 4);
    EXPECT_EQ(json["latency_seconds"]["max"], 2e-6);
    EXPECT_EQ(json["bisection_bytes_per_second"], 16 * 50'000'000'000);
    EXPECT_EQ(json["route"].size(), 4U);
    EXPECT_EQ(json["route"][1]["to"], "spine 3");
}

TEST(NdsimTopology, OfAFileOfLinksMeasuresTheHalves) {
    const TemporaryFolder folder;
    const std::string file = folder.with("t.toml", R"(kind = "custom"
vertex = [{name = "a", kind = "gpu"}, {name = "b", kind = "gpu"}, {name = "s", kind = "network_switch"}]
link = [{from = "a", to = "s", bytes_per_second = 3e9}, {from = "b", to = "s", bytes_per_second = 2e9}]
)");
    const auto json = run_command("ndsim topology " + file + " --json").json();
    EXPECT_EQ(json["gpus"], 2);
    EXPECT_EQ(json["bisection_bytes_per_second"], 2'000'000'000);
    EXPECT_EQ(json["bisection"], "halves in rank order");
}

TEST(NdsimTopology, DrawsEveryNameAtTwoSizes) {
    const TemporaryFolder folder;
    const auto list = run_command("ndsim topology --list --json").json();
    ASSERT_GE(list["topologies"].size(), 15U);
    for (const auto& named : list["topologies"]) {
        const std::string name = named["name"];
        for (const char* ranks : {"16", "576"}) {
            const std::string file = folder.file("t.svg");
            const Said said = run_command("ndsim topology " + name + " --ranks " + ranks + " --json --svg " + file);
            if (said.exit_code == 2) {
                continue;  // the topology has no such size
            }
            EXPECT_EQ(said.exit_code, 0) << name << " " << said.err;
            const std::string svg = content_of(file);
            EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\"")) << name;
            EXPECT_TRUE(svg.ends_with("</svg>\n")) << name;
            EXPECT_EQ(svg.find("nan"), std::string::npos) << name;
            EXPECT_LT(svg.size(), 2'000'000U) << name << " " << ranks;
        }
    }
}

TEST(NdsimTopology, GivesEachGpuOfASmallOneABoxOfItsOwn) {
    const TemporaryFolder folder;
    const std::string file = folder.file("t.svg");
    run_command("ndsim topology switch --ranks 24 --svg " + file);
    const std::string svg = content_of(file);
    for (int gpu = 0; gpu < 24; ++gpu) {
        EXPECT_THAT(svg, HasSubstr(">" + std::to_string(gpu) + "</text>"));
    }
}

TEST(NdsimTopology, RefusesWhatCannotBe) {
    EXPECT_THAT(refusal("ndsim topology"), StartsWith("ndsim topology: TOPOLOGY is missing"));
    EXPECT_THAT(refusal("ndsim topology dgx-h10"), testing::EndsWith("; did you mean dgx-h100?"));
    EXPECT_EQ(refusal("ndsim topology dgx-h100 --ranks 12"),
              "ndsim topology: 12 GPUs is not a whole number of 8-GPU nodes; try 8 or 16");
    EXPECT_EQ(refusal("ndsim topology ring --ranks 8 --route 0,8"),
              "ndsim topology: --route: there is no rank 8; ring has 0 to 7");
    EXPECT_EQ(refusal("ndsim topology ring --route 1,2,3"), "ndsim topology: --route must be two ranks, A,B, not 3");
    EXPECT_THAT(refusal("ndsim topology ring --svg /nowhere/t.svg", 6), HasSubstr("/nowhere"));
}

// Reading it was once cubic in the vertices: this file took hours.
TEST(NdsimTopology, OfTenThousandVerticesIsRead) {
    std::string text = "kind = \"custom\"\n";
    for (int i = 0; i < 10'000; ++i) {
        text += fmt::format("[[vertex]]\nname = \"v{}\"\nkind = \"{}\"\n", i, i < 1'000 ? "gpu" : "network_switch");
    }
    for (int i = 0; i + 1 < 10'000; ++i) {
        text += fmt::format("[[link]]\nfrom = \"v{}\"\nto = \"v{}\"\nbytes_per_second = 25e9\n", i, i + 1);
    }
    const TemporaryFolder folder;
    const Said said =
        run_command(fmt::format("ndsim topology '{}' --route 0,9 --json", folder.with("line.toml", text)));
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.json()["vertices"]["network switch"], 9'000);
}

}  // namespace
