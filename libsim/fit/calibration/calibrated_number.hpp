// The numbers of a machine that users can calibrate, a row for each: few, and each with a meaning (efficiency.hpp).
//
// Most are fields of Efficiency. Latencies of NCCL are two factors, on all that lies within a node and on all between
// nodes: small messages show sums of them, never each of the 23 alone.
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
    const char* name;  // a key of [efficiency], or what the factor is on
    MeasuredBy by;
    bool also_by_runs;  // where no benchmark has measured it
    double training::Efficiency::*field;
    Latencies latencies = Latencies::none;
    double training::Efficiency::*alone = nullptr;  // what is the same number, where single kernels were measured
};
std::span<const CalibratedNumber> calibrated_numbers();

// A key of [efficiency].
std::string_view key_of(double training::Efficiency::*field);

// The value that `machine` has; 1 of a factor.
double value_in(const training::Machine& machine, const CalibratedNumber& number);
// Bounds of a search.
double lowest_of(const CalibratedNumber& number);
double highest_of(const CalibratedNumber& number);
// Does not derive the network.
void put_value(training::Machine& machine, const CalibratedNumber& number, double value);

// The latencies that a factor is on, with their keys in machine files: "ring.ll.base".
struct NamedLatency {
    std::string key;
    double* seconds;
};
std::vector<NamedLatency> latencies_of(network::Nccl& network, Latencies which);

}  // namespace sim::fit
