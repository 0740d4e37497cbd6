// These functions read what nccl-tests print or write: all_reduce_perf and its like.
//
//   text   the table, as printed by any version, with whatever mpirun, Slurm and NCCL_DEBUG print between its lines
//   JSON   the file of --output_file (-J), version 2
// The out-of-place time of each size is taken; sizes of 0 bytes are passed over.
// Source of the formats: NVIDIA/nccl-tests, src/common.cu and src/util.cu (2024 to 2026).
#pragma once

#include "libsim/fit/calibration/measurement.hpp"

#include <string>
#include <vector>

namespace sim::fit {

// What the output leaves out, or the user knows better. 0, empty: as the output says.
struct NcclTestsFacts {
    int ranks = 0;
    int ranks_per_node = 0;
    std::string collective;  // as programs are named: all_reduce, alltoall, sendrecv …
};

// Throws UsageError with file, line and reason: no table, ranks or collective that are not known, a bus bandwidth that
// contradicts them, wrong results.
std::vector<Measurement> read_nccl_tests(const std::string& text, const std::string& file,
                                         const NcclTestsFacts& facts = {});

// The names that NcclTestsFacts::collective may have.
std::vector<std::string> nccl_tests_collectives();

}  // namespace sim::fit
