// LogGP schedules as run by LogGOPSim (data/loggops.json names its version) give the same integers.
#include "libsim/interop/goal/run.hpp"
#include "libsim/interop/goal/text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;
using namespace sim;

json oracle_cases() {
    return json::parse(std::ifstream(NDSIM_SOURCE_DIR "/tests/oracle/data/loggops.json")).at("cases");
}

LogGP costs_of(const json& params) {
    return {.latency = Duration{params["L"].get<std::int64_t>()},
            .overhead = Duration{params["o"].get<std::int64_t>()},
            .gap = Duration{params["g"].get<std::int64_t>()},
            .gap_per_byte = {params["G"].get<std::int64_t>(), 1},
            .overhead_per_byte = {params["O"].get<std::int64_t>(), 1},
            .eager_limit = Bytes{params["S"].get<std::int64_t>()}};
}

TEST(LogGopsim, AgreesToTheUnitOnEveryRunOfEverySchedule) {
    int runs = 0;
    const json cases = oracle_cases();
    for (const json& test : cases) {
        const goal::GoalSchedule schedule = goal::parse(test["goal"].get<std::string>(), "oracle");
        for (const json& expected : test["runs"]) {
            const goal::GoalOutcome outcome = goal::run(schedule, costs_of(expected["params"]));
            EXPECT_TRUE(outcome.finished()) << test["name"] << expected["params"];
            EXPECT_EQ(json(outcome.rank_finish), expected["loggopsim"]) << test["name"] << expected["params"];
            ++runs;
        }
    }
    EXPECT_EQ(runs, 46);
}

}  // namespace
