// What both forms of nccl-tests' output have in common: who took part, and rows of sizes and times. For nccl_tests*.cpp
// alone.
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
    std::string unit = "line";  // of what rows are numbered in
    std::string program;        // "all_reduce", from the output; empty: it does not say
    int program_line = 0;
    std::map<std::string, int> on_hosts;  // ranks
    int ranks_of_process = 0;             // threads times GPUs, where nothing else is known
    std::vector<NcclTestsRow> rows;
};

NcclTestsOutput nccl_tests_text(const std::string& text, const std::string& file);
NcclTestsOutput nccl_tests_json(const std::string& text, const std::string& file);

// "all_reduce" of "./build/all_reduce_perf"; empty: it is no such name.
std::string nccl_tests_program(const std::string& word);

}  // namespace sim::fit
