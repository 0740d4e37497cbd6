// Shares say where the time of a rank went, as a profiler sees it: by what was going on at each instant.
//
//   compute               something computed
//   exposed communication nothing did, but something sent, received or took part in a collective
//   exposed copies        neither, but memory was copied
//   idle                  nothing of these
// They add up to the window, from the start of the run to its last span. As the temporal breakdown of Holistic Trace
// Analysis, which calls the middle two non-compute time. A message that waits for the other side counts as
// communication, as NCCL's kernels do; `waiting` says how much of it that was, where the trace knows. A collective
// inside a computation counts as communication, and not as computing.
//
// A trace of a predicted step has an account, too: each rank's time by category, which add up to the step. That is what
// `ndsim train` prints, to the picosecond.
#pragma once

#include "libsim/report/timeline.hpp"
#include "libsim/trace/time_category.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::trace_files {

enum class Activity { compute, communication, copies };
std::string_view name_of(Activity activity);

struct Shares {
    double compute = 0;  // in seconds, as all
    double exposed = 0;
    double copies = 0;
    double idle = 0;
    double waiting = 0;     // the part of `exposed` in which all messages waited for the other side
    double overlapped = 0;  // the part of `compute` in which something communicated
};

struct ShareRow {
    std::string_view name;  // "exposed communication"
    std::string_view key;   // "exposed_communication_seconds"
    double Shares::*value;
    bool is_part;  // one of those that add up to the window
    std::string_view what;
};
std::span<const ShareRow> share_rows();

// Seconds by TimeCategory.
using TimeBySeconds = std::array<double, time_categories>;

struct LabelShare {
    std::string label;  // of all that do the same, where the trace knows
    Activity activity = Activity::compute;
    std::int64_t spans = 0;
    double lasted = 0;   // seconds, mean over the ranks; all of its spans
    double exposed = 0;  // the part of it that counts: of communication what nothing computed beside
};

struct TraceShares {
    double window = 0;       // seconds
    std::vector<int> ranks;  // that have a span
    std::vector<Shares> of_rank;
    Shares mean;
    bool has_account = false;
    double step = 0;                      // of the account
    std::vector<TimeBySeconds> accounts;  // of each of `ranks`; empty: there is none
    TimeBySeconds account{};              // their mean
    std::vector<LabelShare> labels;       // those with the most exposed time first
    std::int64_t messages = 0;            // sends
    std::int64_t collectives = 0;         // on all ranks
    std::int64_t bytes = 0;               // of the messages
    double units = 0;
};

// Needs time for sorting the spans.
TraceShares shares_of(const report::Timeline& timeline);

}  // namespace sim::trace_files
