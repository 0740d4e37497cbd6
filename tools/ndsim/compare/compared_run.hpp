// A compared run is the content of one --json result: how long the run took, where the time went, and its options.
// Results of scenarios and of `ndsim train` are read into the same type.
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

// A line of a comparison, such as "optimizer" in the part `rest`.
struct ComparedLine {
    std::string name;
    TimePart part = TimePart::rest;
    double seconds = 0;  // mean over the ranks
};

struct ComparedRun {
    std::string file;
    bool is_prediction = false;  // a result of `ndsim train`
    std::string name;            // "3d_pipeline_parallel", "llama3-8b on dgx-h100"
    double seconds = 0;
    std::vector<ComparedLine> lines;
    std::vector<std::pair<std::string, std::string>> settings;  // the options, in the order of the file
    // The fullest GPU's peak memory: a prediction gives it in bytes, a scenario in units.
    std::optional<std::int64_t> peak_bytes;
    std::optional<double> peak_units;
    std::optional<double> flops_per_second;  // of the model, per GPU; of a prediction

    // The rest is needed to reproduce its timeline (run_again.hpp).
    std::optional<config::Given> given;  // none: not in the file
    std::string timeline_sha256;
    // Only scenarios have these.
    std::string profile;
    std::vector<trace::RankTotals> totals;

    std::array<double, time_parts> parts() const;
};

// "+6.2 %"; "-": the whole is 0.
std::string change_text(double difference, double whole);

// Both throw UsageError, one line that begins with the file's name, if the file cannot be read, is not JSON, or is not
// a result that can be compared.
ComparedRun read_run(const std::string& file);
ComparedRun run_of_text(const std::string& file, const std::string& text);

// Compares two runs: the parts of the time that make the difference, the options that differ, and the cause in one
// sentence. Throws UsageError if one is a scenario and the other a prediction.
report::Comparison compared(const ComparedRun& a, const ComparedRun& b);

}  // namespace sim::tools
