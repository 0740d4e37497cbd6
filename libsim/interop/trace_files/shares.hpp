// Shares divide a rank's time by activity at each instant, as a profiler sees it.
//
//   compute               something computed
//   exposed communication nothing computed, but something sent, received or took part in a collective
//   exposed copies        neither, but memory was copied
//   idle                  none of these
// They add up to the window, from the start of the run to its last span. This follows the temporal breakdown of
// Holistic Trace Analysis, which calls the middle two non-compute time. A message that waits for the other side counts
// as communication, as NCCL's kernels do; `waiting` is the part of it that waited, if the trace records it.
// A collective inside a computation counts as communication, not as compute.
//
// A trace of a predicted step also has an account: each rank's time by category, adding up to the step. It equals what
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
    double compute = 0;  // all fields are in seconds
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
    bool is_part;  // one of the parts that add up to the window
    std::string_view what;
};
std::span<const ShareRow> share_rows();

// Seconds by TimeCategory.
using TimeBySeconds = std::array<double, time_categories>;

struct LabelShare {
    std::string label;  // shared by all spans that do the same, if the trace has labels
    Activity activity = Activity::compute;
    std::int64_t spans = 0;
    double lasted = 0;   // seconds of all its spans, mean over the ranks
    double exposed = 0;  // the exposed part: communication without concurrent compute
};

struct TraceShares {
    double window = 0;       // seconds
    std::vector<int> ranks;  // ranks with at least one span
    std::vector<Shares> of_rank;
    Shares mean;
    bool has_account = false;
    double step = 0;                      // step time of the account
    std::vector<TimeBySeconds> accounts;  // one per entry of `ranks`; empty: none
    TimeBySeconds account{};              // their mean
    std::vector<LabelShare> labels;       // in descending order of exposed time
    std::int64_t messages = 0;            // sends
    std::int64_t collectives = 0;         // summed over the ranks
    std::int64_t bytes = 0;               // total bytes of the messages
    double units = 0;
};

// Cost: sorting the spans.
TraceShares shares_of(const report::Timeline& timeline);

}  // namespace sim::trace_files
