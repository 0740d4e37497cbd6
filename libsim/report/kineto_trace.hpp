// These files hold a timeline as the PyTorch profiler (Kineto) writes it, one for each rank, for Holistic Trace
// Analysis.
//
// Each span is a kernel on a stream of its rank's GPU, launched at the instant in which it begins: computation on
// stream 7, communication beside it. A name that begins with ncclKernel makes a kernel communication, one with Memcpy a
// copy, in every version of Holistic Trace Analysis; the span's own label stands in `args`, with its exact picoseconds.
// Times are whole microseconds, cut down: Holistic Trace Analysis rounds every fractional span inwards, which would
// shrink them all.
//
// Source: the reader of Holistic Trace Analysis (hta/common/trace_parser.py, hta/utils/utils.py), which finds files by
// .gz and ranks by distributedInfo.
#pragma once

#include "libsim/report/trace_file.hpp"

#include <vector>

namespace sim::report {

// rank_0.json.gz, rank_1.json.gz, …; each needs memory and time for sorting its rank's spans.
std::vector<TraceFile> kineto_files(const Timeline& timeline);

}  // namespace sim::report
