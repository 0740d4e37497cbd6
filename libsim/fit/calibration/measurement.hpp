// A measurement is one line of a user's benchmark: what ran, and for how long.
//
// Readers (nccl_tests.hpp, kernel_table.hpp) make them; expected_seconds() says what the model expects of the same work
// on a machine, and the fit (calibration.hpp) brings the two together.
#pragma once

#include "libsim/op.hpp"
#include "libsim/training/kernel_time.hpp"
#include "libsim/training/machine.hpp"

#include <string>
#include <variant>
#include <vector>

namespace sim::fit {

// As a line of nccl-tests: `bytes` are those of its column "size".
struct TimedCollective {
    CollectiveKind kind = CollectiveKind::all_reduce;
    bool send_receive = false;  // no collective: each rank sends to the next
    std::int64_t bytes = 0;
    int ranks = 1;
    int ranks_per_node = 1;
};

enum class KernelKind : std::uint8_t {
    forward,  // matrix products by what they are for
    input_gradient,
    weight_gradient,
    memory,  // reads and writes alone
    flash_forward,
    flash_backward,
};
const char* name_of(KernelKind kind);
const std::vector<KernelKind>& kernel_kinds();

struct TimedKernel {
    KernelKind kind = KernelKind::forward;
    training::Precision precision = training::Precision::bf16;
    training::Gemm gemm = {};  // of products
    double bytes = 0;          // of memory: read and written together
    double sequences = 1;      // of attention, which is causal; heads, head_dim and tokens are those of one sequence
    double heads = 0;
    double head_dim = 0;
    double tokens = 0;
    bool with_gap = true;  // whether the time until the next kernel begins is in it: not in a profiler's
};

struct Measurement {
    std::string file;
    int line = 0;  // or the number of the result in a JSON file
    double seconds = 0;
    std::variant<TimedCollective, TimedKernel> what;
};

// What the model expects. Products in fp8 do not count the quantisation of their inputs: a benchmark of products does
// not measure it. Requires: the machine's network is derived.
// Throws ProgramError for what the machine cannot do: a precision or a network that it lacks.
double expected_seconds(const Measurement& measurement, const training::Machine& machine);

}  // namespace sim::fit
