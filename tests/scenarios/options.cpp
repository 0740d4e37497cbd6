#include "scenarios/options/options.hpp"
#include "scenarios/report/reports.hpp"

#include "libsim/config/errors.hpp"
#include "tests/scenarios/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim::config;
using namespace sim::command_line;
using namespace sim::scenarios;

const Scenario parallel{.name = "2x",
                        .summary = "A scenario.",
                        .axes = {{"dp", 4}, {"tp", 1}},
                        .item_by_item = true,
                        .examples = {"2x  # all of it"}};
const Scenario mesh{.name = "4x",
                    .summary = "A scenario.",
                    .axes = {{"dp", 2}, {"tp", 2}, {"pp", 2}, {"ep", 2}, {"cp", 1}},
                    .ranks_are_world = true,
                    .examples = {}};
const Scenario alone{.name = "0x", .summary = "A scenario.", .axes = {}, .item_by_item = true, .examples = {}};

Options read(const Scenario& scenario, std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), scenario.name.c_str());
    return std::get<Options>(read_options(scenario, static_cast<int>(arguments.size()), arguments.data()));
}

std::string complaint(const Scenario& scenario, const std::vector<const char*>& arguments) {
    try {
        read(scenario, arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

TEST(Options, HaveTheContractsDefaults) {
    const Options o = read(parallel, {});
    EXPECT_EQ(o.ranks, 4);
    EXPECT_EQ(o.mesh.dp, 4);
    EXPECT_EQ(o.mesh.tp, 1);
    EXPECT_EQ(o.host, sim::ranks::Host::process);
    EXPECT_EQ(o.clock, sim::ranks::Clock::virtual_time);
    EXPECT_EQ(o.time_scale, 1);
    EXPECT_EQ(o.profile, "gpu-py");
    EXPECT_EQ(o.items, 16);
    EXPECT_EQ(o.compute_units, 20);
    EXPECT_EQ(o.gradient_units, 500);
    EXPECT_EQ(o.activation_units, 50);
    EXPECT_EQ(o.shape.layers, 4);
    EXPECT_EQ(o.micro_batches, 4);
    EXPECT_EQ(o.steps, 1);
    EXPECT_EQ(o.schedule->name, "1f1b");
    EXPECT_EQ(o.watchdog_seconds, 30);
    EXPECT_TRUE(o.outputs.empty());
    EXPECT_FALSE(o.verbose || o.quiet);
}

TEST(Options, RanksAndTheFirstAxisAreTheSame) {
    EXPECT_EQ(read(parallel, {"--ranks", "8"}).mesh.dp, 8);
    EXPECT_EQ(read(parallel, {"--dp=8"}).ranks, 8);
    EXPECT_EQ(read(parallel, {"--dp", "8", "--ranks", "8"}).ranks, 8);
    EXPECT_EQ(complaint(parallel, {"--dp", "8", "--ranks", "4"}),
              "--ranks 4 and --dp 8 disagree: both are the size of the dp axis");
}

TEST(Options, RanksAreTheProductOfTheAxes) {
    EXPECT_EQ(read(parallel, {"--dp", "3", "--tp", "5"}).ranks, 15);
}

TEST(Options, AreRefusedWhereOneIsGivenTwice) {
    try {
        read(parallel, {"--items", "3", "--items", "5"});
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "--items is given twice, as 3 and as 5; leave one out");
    }
}

TEST(Options, OfTheCommandLineWinOverThoseOfTheFile) {
    const TemporaryFolder folder;
    const std::string file = folder.with("run.toml", "ranks = 2\nitems = 7\ncompute-units = 3\nquiet = true\n");
    const Options o = read(parallel, {"--config", file.c_str(), "--items", "9"});
    EXPECT_EQ(o.items, 9);
    EXPECT_EQ(o.compute_units, 3);
    EXPECT_EQ(o.ranks, 2);
    EXPECT_TRUE(o.quiet);
    EXPECT_EQ(read(parallel, {"--dp", "6", "--config", file.c_str()}).ranks, 6);
}

TEST(Options, OfAFileAreRefusedWithFileAndLine) {
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& content) {
        const std::string file = folder.with("run.toml", content);
        const std::string said = complaint(parallel, {"--config", file.c_str(), "--items", "1"});
        return said.substr(said.find("run.toml"));
    };
    EXPECT_EQ(refused("steps = 2\nitem = 3\n"), "run.toml:2: unknown option item; did you mean items?");
    EXPECT_EQ(refused("items = 0\n"), "run.toml:1: items must be a whole number from 1 to 1000000, not 0");
    EXPECT_EQ(refused("\nitems = \"7\"\n"), "run.toml:2: items must be a whole number from 1 to 1000000, not \"7\"");
    EXPECT_EQ(refused("items = 7.5\n"), "run.toml:1: items must be a whole number from 1 to 1000000, not 7.5");
    EXPECT_EQ(refused("json = 1\n"), "run.toml:1: json must be true or false, not 1");
    EXPECT_EQ(refused("host = \"fibre\"\n"),
              "run.toml:1: host must be process or fiber, not \"fibre\"; did you mean fiber?");
    EXPECT_EQ(refused("items = [1]\n"), "run.toml:1: items must be a whole number from 1 to 1000000, not a list");
    EXPECT_EQ(refused("[items]\n"), "run.toml:1: items must be a whole number from 1 to 1000000, not a table");
    EXPECT_EQ(refused("compute-units = nan\n"),
              "run.toml:1: compute-units must be a number from 0 to 1000000000, not nan");
    EXPECT_EQ(refused("items = 2\ntrace = \"t.json\"\n"),
              "run.toml:2: trace names a file to write, and only the command line may; say --trace there");
    EXPECT_EQ(refused("config = \"other.toml\"\n"), "run.toml:1: unknown option config");
    EXPECT_EQ(refused("pp = 2\n").substr(0, 31), "run.toml:1: unknown option pp; ");
    EXPECT_EQ(refused("a = 1\nb 2\n").substr(0, 11), "run.toml:2:");
}

TEST(Options, ThatCannotBeAreRefused) {
    const std::vector<std::pair<std::vector<const char*>, std::string>> cases{
        {{"--ranks", "0"}, "--ranks must be a whole number from 1 to 100000, not 0"},
        {{"--ranks", "-4"}, "--ranks must be a whole number from 1 to 100000, not -4"},
        {{"--ranks", "4.5"}, "--ranks must be a whole number from 1 to 100000, not 4.5"},
        {{"--ranks", "four"}, "--ranks must be a whole number from 1 to 100000, not \"four\""},
        {{"--ranks", "4x"}, "--ranks must be a whole number from 1 to 100000, not \"4x\""},
        {{"--ranks="}, "--ranks needs a value; see --help"},
        {{"--json", "--items"}, "--items needs a value; see --help"},
        {{"--items", "--json"}, "--items must be a whole number from 1 to 1000000, not \"--json\""},
        {{"--ranks", "99999999999999999999"}, "--ranks must be a whole number from 1 to 100000, not 1e+20"},
        {{"--ranks", "5000"}, "5000 ranks are more than the 4096 that can be processes; --host fiber can have more"},
        {{"--dp", "1000", "--tp", "1000", "--host", "fiber"},
         "1000000 ranks are more than the 100000 that can be fibers"},
        {{"--items", "0"}, "--items must be a whole number from 1 to 1000000, not 0"},
        {{"--steps", "0"}, "--steps must be a whole number from 1 to 1000000, not 0"},
        {{"--layers", "257"}, "--layers must be a whole number from 1 to 256, not 257"},
        {{"--compute-units", "-1"}, "--compute-units must be a number from 0 to 1000000000, not -1"},
        {{"--compute-units", "nan"}, "--compute-units must be a number from 0 to 1000000000, not nan"},
        {{"--compute-units", "inf"}, "--compute-units must be a number from 0 to 1000000000, not inf"},
        {{"--gradient-units", "1e309"}, "--gradient-units must be a number from 0 to 1000000000, not \"1e309\""},
        {{"--gradient-units", "1e10"}, "--gradient-units must be a number from 0 to 1000000000, not 10000000000"},
        {{"--time-scale", "-0.5"}, "--time-scale must be a number from 0 to 1000000, not -0.5"},
        {{"--watchdog", "0"}, "--watchdog must be a number from 0.001 to 1000000, not 0"},
        {{"--seed", "-1"}, "--seed must be a whole number from 0, not -1"},
        {{"--host", "thread"}, "--host must be process or fiber, not \"thread\""},
        {{"--clock", "vitual"}, "--clock must be virtual or wall, not \"vitual\"; did you mean virtual?"},
        {{"--schedule", "gpip"},
         "--schedule must be gpipe or 1f1b or interleaved or zb_h1 or zb_h2 or dualpipe, not \"gpip\"; did you mean "
         "gpipe?"},
        {{"--trace", ""}, "--trace must be a text that is not empty, not \"\""},
        {{"--item", "3"}, "unknown option --item; did you mean --items?"},
        {{"--gradient_units=3"}, "unknown option --gradient_units; did you mean --gradient-units?"},
        {{"--versoin"}, "unknown option --versoin; did you mean --version?"},
        {{"--something-else"}, "unknown option --something-else; see --help"},
        {{"-x"}, "unknown option -x; see --help"},
        {{"trace.json"}, "unexpected argument \"trace.json\"; every option begins with --, see --help"},
    };
    for (const auto& [arguments, said] : cases) {
        EXPECT_EQ(complaint(parallel, arguments), said);
    }
}

TEST(Options, ShowAScheduleAsAPictureOnly) {
    EXPECT_EQ(complaint(mesh, {"--show-schedule", "--json"}),
              "--show-schedule and --json exclude each other: a schedule is shown as a picture");
}

TEST(Options, OverlapHasABucketForEachLayerUnlessToldOtherwise) {
    EXPECT_EQ(read(parallel, {}).buckets, 1);
    EXPECT_EQ(read(parallel, {"--overlap", "--layers", "6"}).buckets, 6);
    EXPECT_EQ(read(parallel, {"--overlap", "--buckets", "2"}).buckets, 2);
}

TEST(Options, ThatExcludeEachOtherAreRefused) {
    const std::vector<std::pair<std::vector<const char*>, std::string>> cases{
        {{"--zero", "1", "--synchronize", "direct"},
         "--zero and --synchronize exclude each other: ZeRO scatters gradients around a ring"},
        {{"--zero", "2", "--compress", "16-bit"},
         "--zero and --compress exclude each other: ZeRO scatters whole gradients"},
        {{"--compress", "top-k", "--synchronize", "parameter-server"},
         "--compress top-k and --synchronize exclude each other: each rank's largest numbers are gathered, around a "
         "ring"},
        {{"--accumulate", "2", "--zero", "1"},
         "--accumulate and --zero exclude each other: gradients are added up once in a step"},
        {{"--accumulate", "2", "--overlap"},
         "--accumulate and --overlap exclude each other: gradients are added up once in a step"},
        {{"--weighted", "--overlap"},
         "--weighted and --overlap exclude each other: a rank without items would not take part"},
        {{"--weighted", "--zero", "3"},
         "--weighted and --zero exclude each other: a rank without items would not take part"},
        {{"--zero", "4"}, "--zero must be a whole number from 0 to 3, not 4"},
        {{"--compress", "topk"}, "--compress must be none or top-k or 16-bit, not \"topk\"; did you mean top-k?"},
        {{"--compress-fraction", "0"}, "--compress-fraction must be a number from 1e-09 to 1, not 0"},
    };
    for (const auto& [arguments, said] : cases) {
        EXPECT_EQ(complaint(parallel, arguments), said);
    }
}

TEST(Options, OfAMeshTakeTheFirstAxisFromAllRanks) {
    EXPECT_EQ(read(mesh, {}).ranks, 16);
    EXPECT_EQ(read(mesh, {"--ranks", "32"}).mesh.dp, 4);
    EXPECT_EQ(read(mesh, {"--ranks", "8"}).mesh.dp, 1);
    EXPECT_EQ(read(mesh, {"--ranks", "6", "--tp", "3", "--pp", "1", "--ep", "1"}).mesh.dp, 2);
    EXPECT_EQ(read(mesh, {"--ranks", "24", "--dp", "3"}).ranks, 24);
    EXPECT_EQ(
        complaint(mesh, {"--ranks", "10"}),
        "10 ranks cannot be split over tp x pp x ep x cp 8; 8 or 16 ranks, or tp x pp x ep x cp 5 or 10, would fit");
    EXPECT_EQ(complaint(mesh, {"--ranks", "16", "--dp", "4"}),
              "dp 4 x tp 2 x pp 2 x ep 2 = 32 ranks, but there are 16; dp 2 or tp 1 or pp 1 or ep 1 would fit");
}

TEST(Options, OfContextParallelStandInForExpertParallelUnlessBothAreAskedFor) {
    const Options context = read(mesh, {"--cp", "2"});
    EXPECT_EQ(context.mesh.ep, 1);
    EXPECT_EQ(context.ranks, 16);
    EXPECT_EQ(context.shape.experts, 0);
    const Options both = read(mesh, {"--cp", "2", "--ep", "2"});
    EXPECT_EQ(both.ranks, 32);
    EXPECT_EQ(both.shape.experts, 4);  // two per ep rank, unless --experts is given
    EXPECT_EQ(read(mesh, {"--experts", "8"}).shape.experts, 8);
}

TEST(Options, ChunksAreTwoWhereTheScheduleInterleavesAStage) {
    EXPECT_EQ(read(mesh, {}).chunks, 1);
    EXPECT_EQ(read(mesh, {"--schedule", "interleaved"}).chunks, 2);
    EXPECT_EQ(read(mesh, {"--schedule", "interleaved", "--pp", "1"}).chunks, 1);
    EXPECT_EQ(read(mesh, {"--schedule", "interleaved", "--chunks", "4"}).chunks, 4);
}

TEST(Options, OfAScenarioOnOneRankHaveNoAxes) {
    EXPECT_EQ(read(alone, {"--ranks", "1"}).ranks, 1);
    EXPECT_EQ(complaint(alone, {"--ranks", "2"}),
              "--ranks must be 1, not 2: 0x is the run on one rank that others are compared with");
    EXPECT_EQ(complaint(alone, {"--dp", "2"}).substr(0, 19), "unknown option --dp");
}

TEST(Options, HelpNamesEveryOptionAndEndsWithTheExamples) {
    const char* arguments[] = {"2x", "--help"};
    const std::string help = std::get<Answer>(read_options(parallel, 2, arguments)).text;
    for (const char* option : {"--ranks N",
                               "--dp N",
                               "--tp N",
                               "--host NAME",
                               "--clock NAME",
                               "--time-scale S",
                               "--profile NAME|FILE",
                               "--items N",
                               "--compute-units X",
                               "--gradient-units X",
                               "--layers N",
                               "--steps N",
                               "--trace FILE",
                               "--json",
                               "--seed N",
                               "--verbose",
                               "--quiet",
                               "--help",
                               "--version",
                               "--config FILE.toml",
                               "--watchdog S"}) {
        EXPECT_NE(help.find(option), std::string::npos) << option;
    }
    EXPECT_EQ(help.find("--pp"), std::string::npos);
    EXPECT_NE(help.find("Examples:\n  2x  # all of it\n"), std::string::npos);
}

TEST(Summary, SaysWhatMegatronCallsTheExpertAxis) {
    EXPECT_EQ(experts_as_megatron({.dp = 2, .tp = 2, .pp = 2, .ep = 2, .cp = 1}),
              "ep 2 is an axis of its own beside dp 2; Megatron and ndsim train call this dp 4 with ep 2 and expert-tp "
              "2");
    EXPECT_EQ(experts_as_megatron({.dp = 1, .tp = 1, .pp = 1, .ep = 4, .cp = 2}),
              "ep 4 is an axis of its own beside dp 1; Megatron and ndsim train call this dp 4 with ep 4");
}

// The last of two values counts; options that only affect how a run is executed and shown are left out.
TEST(Given, AreTheOptionsThatChangeTheResult) {
    const TemporaryFolder folder;
    const std::string config = folder.with("run.toml", "steps = 2\noverlap = true\nhost = \"fiber\"\n");
    const Options options = read(parallel, {"--items", "9", "--quiet", "--trace", "x.json", "--config", config.c_str(),
                                            "--compute-units", "0.1"});
    const Given expected{
        {"compute-units", 0.1}, {"items", std::int64_t{9}}, {"overlap", true}, {"steps", std::int64_t{2}}};
    EXPECT_EQ(options.given, expected);
    EXPECT_EQ(json_text(options.given), R"({"compute-units":0.1,"items":9,"overlap":true,"steps":2})");
}

TEST(Given, AreReadBackAsTheyWereWritten) {
    const Given given{{"a", true},
                      {"b", std::int64_t{1} << 62U},
                      {"c", 0.1},
                      {"d", std::string("\"x\"\n")},
                      {"e", std::vector<double>{1, 2.5}}};
    EXPECT_EQ(given_of_json(json_text(given), "x"), given);
    EXPECT_EQ(typed_text(given.at("e")), "1,2.5");
    for (const std::string text : {"[1]", "7", "{"}) {
        try {
            given_of_json(text, "a.json: given");
            FAIL() << text;
        } catch (const UsageError& error) {
            EXPECT_STREQ(error.what(), "a.json: given must be an object with the options of the run");
        }
    }
}

TEST(Options, FaultsAreSentencesOneOptionEach) {
    const Options o = read(parallel, {"--fault", "kill rank 3 at 120ms", "--fault", "slow rank 1 x2"});
    ASSERT_EQ(o.faults.size(), 2U);
    EXPECT_EQ(to_text(o.faults[0]), "kill rank 3 at 120ms");
    EXPECT_EQ(to_text(o.faults[1]), "slow rank 1 x2");
    EXPECT_EQ(sim::config::json_text(o.given), R"({"fault":"kill rank 3 at 120ms; slow rank 1 x2"})");
    EXPECT_EQ(complaint(parallel, {"--fault", "kill rank 3"}),
              "--fault 'kill rank 3' is no fault; write kill rank R at TIME");
    EXPECT_EQ(complaint(parallel, {"--fault", "kill rank 1 at 1s", "--scaling", "1,2"}),
              "--scaling and --fault exclude each other: there is more than one run");
}

}  // namespace
