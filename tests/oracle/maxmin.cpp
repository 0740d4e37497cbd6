// Flows over shared links against SimGrid without its correction factors, in cases where it is plain max-min.
#include "libsim/network/flows.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace {

using namespace sim;
using nlohmann::json;

std::vector<double> finish_seconds(const json& flow_case) {
    std::vector<FlowNetwork::Channel> links;
    std::map<std::string, LinkId> by_name;
    for (const json& link : flow_case.at("links")) {
        by_name[link.at("name")] = static_cast<LinkId>(links.size());
        links.push_back({link.at("bandwidth").get<double>(), link.at("latency").get<double>() * 1e12});
    }
    std::vector<PlannedFlow> flows;
    for (const json& value : flow_case.at("flows")) {
        PlannedFlow flow{.at = value.at("start").get<double>() * 1e12, .bytes = value.at("size").get<double>()};
        for (const json& name : value.at("links")) {
            flow.route.push_back(by_name.at(name));
        }
        flows.push_back(flow);
    }
    std::vector<double> result = finish_times(links, flows);
    for (double& at : result) {
        at /= 1e12;
    }
    return result;
}

// SimGrid's times are printed to 9 digits.
TEST(MaxMinOracle, GivesEveryFinishTimeOfSeventeenCases) {
    std::ifstream file(NDSIM_SOURCE_DIR "/tests/oracle/data/maxmin.json");
    const json cases = json::parse(file).at("cases");
    ASSERT_EQ(cases.size(), 17U);
    for (const json& flow_case : cases) {
        const std::vector<double> finish = finish_seconds(flow_case);
        for (std::size_t i = 0; i < finish.size(); ++i) {
            const auto expected = flow_case.at("flows").at(i).at("finish").get<double>();
            EXPECT_NEAR(finish[i], expected, expected * 1e-8) << flow_case.at("name") << ", flow " << i;
        }
    }
}

}  // namespace
