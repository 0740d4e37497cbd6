// Checks of labs that are PyTorch scripts, by what their ranks hand over: `results`, collectives, memory.
#pragma once

#include "libsim/op.hpp"
#include "tools/labs/checks.hpp"

namespace sim::labs {

// The costs of a case: the machine that the script runs on; hollow: without arithmetic.
std::vector<config::TomlEntry> on_machine(const std::string& name, bool hollow = false);

// A collective as a rank called it, and what it took, without the wait for others.
struct Called {
    CollectiveKind kind = CollectiveKind::barrier;
    std::int64_t bytes = 0;
    int members = 1;
    Duration time{0};
};
// In the order of the script.
std::vector<Called> collectives_of(const Record& record, int rank);
// Those of a kind, and of so many bytes at least: with smaller ones PyTorch compares what ranks do.
struct Which {
    CollectiveKind kind;
    std::int64_t least = 0;

    bool holds(const Called& called) const { return called.kind == kind && called.bytes >= least; }
};
std::int64_t bytes_called(const Record& record, int rank, const Which& which);
// What the network of the case's machine takes for one among its first ranks.
Duration price_of(const Case& played, CollectiveKind kind, std::int64_t bytes, int members);

// Every rank hands so many bytes to collectives of this kind.
Check bytes_called_are(const Record& found, const Which& which, std::int64_t expected, std::string why);
// These collectives take one of these times in all, on every rank; the first is the one to tell.
Check time_called_is(const Record& found, const Which& which, const std::vector<Duration>& right, std::string why);
// Every rank's memory at its peak is that of the reference at most, up to a hundredth.
Check peak_is_at_most(const Record& found, const Record& reference, std::string why);
// Numbers of `results` are those of the reference on every rank, to this relative error.
Check near_reference(const Record& found, const Record& reference, const std::string& name, double error,
                     std::string why);
// Numbers of `results` are the same on all ranks, to the bit.
Check same_everywhere(const Record& found, const std::string& name, std::string why);

// What a rank handed over; empty: nothing of that name.
const std::vector<double>& reported(const Record& record, const std::string& name, int rank);

}  // namespace sim::labs
