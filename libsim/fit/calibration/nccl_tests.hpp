// These functions read the output of nccl-tests: all_reduce_perf and its siblings.
//
//   text   the table, as printed by any version, with whatever mpirun, Slurm and NCCL_DEBUG print between its lines
//   JSON   the file of --output_file (-J), version 2
// They take the out-of-place time of each size and skip sizes of 0 bytes.
// Source of the formats: NVIDIA/nccl-tests, src/common.cu and src/util.cu (2024 to 2026).
#pragma once

#include "libsim/fit/calibration/measurement.hpp"

#include <string>
#include <vector>

namespace sim::fit {

// Facts that the output leaves out, or that the user knows better. 0 or empty: as in the output.
struct NcclTestsFacts {
    int ranks = 0;
    int ranks_per_node = 0;
    std::string collective;  // by the program's name: all_reduce, alltoall, sendrecv …
};

// Throws UsageError with file, line and reason: no table, unknown ranks or collective, a bus bandwidth that contradicts
// them, wrong results.
std::vector<Measurement> read_nccl_tests(const std::string& text, const std::string& file,
                                         const NcclTestsFacts& facts = {});

// The names that NcclTestsFacts::collective may have.
std::vector<std::string> nccl_tests_collectives();

}  // namespace sim::fit
