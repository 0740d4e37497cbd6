// This is the report of a distributed_hello run: the numbers that each rank brought and holds, and whether their sum is
// right.
#pragma once

#include "libsim/report/schema_text.hpp"
#include "ranks/launch.hpp"
#include "tools/command_line/run_options.hpp"

#include <string>

namespace sim::scenarios {

// Requires: each rank reported the numbers that it "brought" and "holds".
struct HelloRun {
    const command_line::RunOptions& options;
    const sim::ranks::Result& result;

    // The sum over all ranks, 0 + 1 + … + (n-1).
    double expected() const { return static_cast<double>(options.ranks) * (options.ranks - 1) / 2; }
    bool is_right() const;
};

std::string hello_text(const HelloRun& run);
std::string hello_json(const HelloRun& run);
report::SchemaText hello_schema();

}  // namespace sim::scenarios
