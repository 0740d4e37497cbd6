// The content common to both forms of nccl-tests' output: the ranks that took part, and rows of sizes and times. Only
// nccl_tests*.cpp use it.
#pragma once

#include "libsim/fit/calibration/nccl_tests.hpp"

#include <map>
#include <string>
#include <vector>

namespace sim::fit {

struct NcclTestsRow {
    int line = 0;
    std::int64_t bytes = 0;
    double microseconds = 0;
    double algorithm_bandwidth = 0;  // GB/s
    double bus_bandwidth = 0;
    bool reduces = false;
    int root = -1;
    double wrong = 0;
};

struct NcclTestsOutput {
    std::string file;
    std::string unit = "line";  // that `line` counts
    std::string program;        // "all_reduce", from the output; empty: not given
    int program_line = 0;
    std::map<std::string, int> on_hosts;  // ranks by host name
    int ranks_of_process = 0;             // threads times GPUs, used if nothing else is known
    std::vector<NcclTestsRow> rows;
};

NcclTestsOutput nccl_tests_text(const std::string& text, const std::string& file);
NcclTestsOutput nccl_tests_json(const std::string& text, const std::string& file);

// Returns "all_reduce" for "./build/all_reduce_perf"; empty if the word is not the name of a test program.
std::string nccl_tests_program(const std::string& word);

}  // namespace sim::fit
