// Reads cases of flows over shared links from a JSON file, in seconds, bytes, and bytes per second:
//
//   {"cases": [{"name": "two share",
//               "links": [{"name": "A", "bandwidth": 1e9, "latency": 0.001}],
//               "flows": [{"name": "f0", "start": 0, "size": 1e9, "links": ["A"]}]}]}
//
// or a single such case. Names of cases and flows are optional; other keys are ignored.
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
