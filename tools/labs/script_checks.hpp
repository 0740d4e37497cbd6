// These checks grade labs that are PyTorch scripts, by what their ranks report: `results`, collectives, memory.
#pragma once

#include "libsim/op.hpp"
#include "tools/labs/checks.hpp"

namespace sim::labs {

// The costs of a case: the machine that the script runs on; `hollow` skips the arithmetic.
std::vector<config::TomlEntry> on_machine(const std::string& name, bool hollow = false);

// A collective as a rank called it, and its duration without waiting for others.
struct Called {
    CollectiveKind kind = CollectiveKind::barrier;
    std::int64_t bytes = 0;
    int members = 1;
    Duration time{0};
};
// The collectives in the order of the script.
std::vector<Called> collectives_of(const Record& record, int rank);
// The collectives of a kind with at least this many bytes: PyTorch uses smaller ones to compare ranks.
struct Which {
    CollectiveKind kind;
    std::int64_t least = 0;

    bool holds(const Called& called) const { return called.kind == kind && called.bytes >= least; }
};
std::int64_t bytes_called(const Record& record, int rank, const Which& which);
// The time of one such collective on the network of the case's machine, among its first ranks.
Duration price_of(const Case& played, CollectiveKind kind, std::int64_t bytes, int members);

// Every rank passes `expected` bytes to collectives of this kind.
Check bytes_called_are(const Record& found, const Which& which, std::int64_t expected, std::string why);
// On every rank, these collectives take one of the `right` times in total; messages show the first of them.
Check time_called_is(const Record& found, const Which& which, const std::vector<Duration>& right, std::string why);
// Every rank's peak memory is at most that of the reference, within one percent.
Check peak_is_at_most(const Record& found, const Record& reference, std::string why);
// These numbers of `results` match the reference on every rank, to this relative error.
Check near_reference(const Record& found, const Record& reference, const std::string& name, double error,
                     std::string why);
// These numbers of `results` are the same on all ranks, bit for bit.
Check same_everywhere(const Record& found, const std::string& name, std::string why);

// The values that a rank reported; empty: none of that name.
const std::vector<double>& reported(const Record& record, const std::string& name, int rank);

}  // namespace sim::labs
