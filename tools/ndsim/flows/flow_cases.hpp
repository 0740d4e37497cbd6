// A JSON file gives cases of flows over shared links, in seconds, bytes, and bytes per second:
//
//   {"cases": [{"name": "two share",
//               "links": [{"name": "A", "bandwidth": 1e9, "latency": 0.001}],
//               "flows": [{"name": "f0", "start": 0, "size": 1e9, "links": ["A"]}]}]}
//
// or one such case alone. Names of cases and flows may be missing; other keys are not looked at.
#pragma once

#include "libsim/network/flows.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct FlowCase {
    std::string name;
    std::vector<std::string> link_names;
    std::vector<std::string> flow_names;
    std::vector<FlowNetwork::Channel> links;
    std::vector<PlannedFlow> flows;
};

// Throws UsageError, which names `file`, the case, and the link or flow.
std::vector<FlowCase> parse_flow_cases(const std::string& text, const std::string& file);

}  // namespace sim::tools
