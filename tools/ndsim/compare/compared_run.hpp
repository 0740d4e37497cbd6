// A compared run is what a result of --json says about one run: how long it took, where the time went, and what was
// asked for. Results of scenarios and of `ndsim train` give the same value.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/report/comparison.hpp"
#include "libsim/trace/span.hpp"
#include "libsim/trace/time_category.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sim::tools {

// A line of a comparison: "optimizer", a part of the rest.
struct ComparedLine {
    std::string name;
    TimePart part = TimePart::rest;
    double seconds = 0;  // mean over the ranks
};

struct ComparedRun {
    std::string file;
    bool is_prediction = false;  // of `ndsim train`
    std::string name;            // "3d_pipeline_parallel", "llama3-8b on dgx-h100"
    double seconds = 0;
    std::vector<ComparedLine> lines;
    std::vector<std::pair<std::string, std::string>> settings;  // what was asked for, in the order of the file
    // The most memory that a GPU holds, which a prediction says in bytes and a scenario in units.
    std::optional<std::int64_t> peak_bytes;
    std::optional<double> peak_units;

    // These are needed to make its timeline again (run_again.hpp).
    std::optional<config::Given> given;  // none: the file does not say it
    std::string timeline_sha256;
    // Scenarios alone have these:
    std::string profile;
    std::vector<trace::RankTotals> totals;

    std::array<double, time_parts> parts() const;
};

// All throw UsageError, one line, which begins with the file's name: not a file, not JSON, not a result that can be
// compared.
ComparedRun read_run(const std::string& file);
ComparedRun run_of_text(const std::string& file, const std::string& text);

// How two runs differ: which parts of the time make the difference, what was asked for differently, and the cause in
// one sentence. Throws UsageError where one is a scenario and the other a prediction.
report::Comparison compared(const ComparedRun& a, const ComparedRun& b);

}  // namespace sim::tools
