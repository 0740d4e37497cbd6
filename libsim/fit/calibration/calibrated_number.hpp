// The numbers of a machine that users can calibrate, one row each: few, and each with a meaning (efficiency.hpp).
//
// Most are fields of Efficiency. NCCL's latencies are two factors, one on all latencies within a node and one on all
// between nodes: small messages show sums of latencies, never each of the 23 alone.
#pragma once

#include "libsim/training/machine.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::fit {

enum class MeasuredBy : std::uint8_t { collectives, kernels, runs };
enum class Latencies : std::uint8_t { none, within, across };

struct CalibratedNumber {
    const char* name;  // a key of [efficiency], or the latencies that the factor scales
    MeasuredBy by;
    bool also_by_runs;  // unless a benchmark has measured it
    double training::Efficiency::*field;
    Latencies latencies = Latencies::none;
    double training::Efficiency::*alone = nullptr;  // set to the same value if it comes from single kernels
};
std::span<const CalibratedNumber> calibrated_numbers();

// The key of a field in [efficiency].
std::string_view key_of(double training::Efficiency::*field);

// The value in `machine`; 1 for a factor.
double value_in(const training::Machine& machine, const CalibratedNumber& number);
// Bounds for the fit.
double lowest_of(const CalibratedNumber& number);
double highest_of(const CalibratedNumber& number);
// Leaves it to the caller to derive the network.
void put_value(training::Machine& machine, const CalibratedNumber& number, double value);

// The latencies that a factor scales, with their keys in machine files: "ring.ll.base".
struct NamedLatency {
    std::string key;
    double* seconds;
};
std::vector<NamedLatency> latencies_of(network::Nccl& network, Latencies which);

}  // namespace sim::fit
