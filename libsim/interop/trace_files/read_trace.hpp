// This function reads a trace back into a timeline: ours, or one of the PyTorch profiler (Kineto).
//
//   FILE.csv, FILE.ndjson      a span on each line, as ndsim writes them
//   FILE.json, any other name  Chrome JSON of ndsim, or of the PyTorch profiler
//   FOLDER                     a file of the PyTorch profiler for each rank: all *.json and *.json.gz in it
// Each may be compressed by gzip, under any name. Files are read as streams: memory is needed for the spans alone.
#pragma once

#include "libsim/report/timeline.hpp"

#include <string>

namespace sim::trace_files {

struct ReadTrace {
    report::Timeline timeline;  // its ranks are 0 … the highest that was found
    bool profiled = false;      // measured by the PyTorch profiler, not simulated
    int steps = 0;              // that the profiler saw of each rank; 0: not known
};

// Throws UsageError, which names file, line or event, and what is wrong.
//
// Of the PyTorch profiler's events those on the GPU become spans: kernels compute, but NCCL's communicate; copies and
// fills of memory are spans of kind compute that count bytes. Time begins with the first of them, on any rank. A rank's
// stream with the most kernels is its main one; the others are numbered from 1.
ReadTrace read_trace(const std::string& path);

}  // namespace sim::trace_files
