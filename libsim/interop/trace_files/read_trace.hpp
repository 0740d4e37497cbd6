// This function reads a trace back into a timeline: ours, or one of the PyTorch profiler (Kineto).
//
//   FILE.csv, FILE.ndjson      one span per line, as ndsim writes them
//   FILE.json, any other name  Chrome JSON of ndsim, or of the PyTorch profiler
//   FOLDER                     one file of the PyTorch profiler per rank: all *.json and *.json.gz in it
#pragma once

#include "libsim/report/timeline.hpp"

#include <string>

namespace sim::trace_files {

struct ReadTrace {
    report::Timeline timeline;  // its ranks are 0 to the highest one found
    bool profiled = false;      // measured by the PyTorch profiler, not simulated
    int steps = 0;              // steps profiled on each rank; 0: unknown
};

// Throws UsageError, which names file, line or event, and the error.
//
// Events of the PyTorch profiler become spans if they are on the GPU: kernels count as compute, NCCL kernels as
// communication; memory copies and fills are spans of kind compute that count bytes. Time begins with the first of
// them, on any rank. The stream with the most kernels is a rank's main one; the others are numbered from 1.
ReadTrace read_trace(const std::string& path);

}  // namespace sim::trace_files
