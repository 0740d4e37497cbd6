// A measurement is one line of a user's benchmark: what ran, and for how long.
//
// Readers (nccl_tests.hpp, kernel_table.hpp) produce measurements; expected_seconds() gives the model's time for the
// same work on a machine, and the fit (calibration.hpp) brings the two together.
#pragma once

#include "libsim/op.hpp"
#include "libsim/training/kernel_time.hpp"
#include "libsim/training/machine.hpp"

#include <string>
#include <variant>
#include <vector>

namespace sim::fit {

// One line of nccl-tests: `bytes` is its column "size".
struct TimedCollective {
    CollectiveKind kind = CollectiveKind::all_reduce;
    bool send_receive = false;  // not a collective: each rank sends to the next
    std::int64_t bytes = 0;
    int ranks = 1;
    int ranks_per_node = 1;
};

enum class KernelKind : std::uint8_t {
    forward,  // matrix products, by their purpose
    input_gradient,
    weight_gradient,
    memory,  // only reads and writes
    flash_forward,
    flash_backward,
};
const char* name_of(KernelKind kind);
const std::vector<KernelKind>& kernel_kinds();

struct TimedKernel {
    KernelKind kind = KernelKind::forward;
    training::Precision precision = training::Precision::bf16;
    training::Gemm gemm = {};  // for products
    double bytes = 0;          // for memory: read plus written
    double sequences = 1;      // for causal attention; heads, head_dim and tokens are per sequence
    double heads = 0;
    double head_dim = 0;
    double tokens = 0;
    bool with_gap = true;  // includes the gap before the next kernel, which a profiler's time does not
};

struct Measurement {
    std::string file;
    int line = 0;  // line number, or number of the result in a JSON file
    double seconds = 0;
    std::variant<TimedCollective, TimedKernel> what;
};

// The time that the model expects. Products in fp8 exclude the quantisation of their inputs, which a benchmark of
// products does not measure. Requires: the machine's network is derived.
// Throws ProgramError if the machine lacks the precision or the network.
double expected_seconds(const Measurement& measurement, const training::Machine& machine);

}  // namespace sim::fit
