// The files of a trace: PREFIX.RANK.et, one for each rank, as they are or compressed by gzip (.et.gz).
//
// A file is a row of messages, each behind its length as a varint. ASTRA-sim reads no gzip, and wants the process
// groups in a file of their own.
#pragma once

#include "libsim/interop/chakra/trace.hpp"
#include "libsim/report/trace_file.hpp"

#include <streambuf>
#include <string>
#include <vector>

namespace sim::chakra {

// The traces of all ranks, from 0 on.
struct Traces {
    std::vector<RankTrace> ranks;
    std::vector<std::string> files;  // by rank, for errors
    ProcessGroups groups;            // beside those of each rank
};

// `path` is a folder with the files of one PREFIX, or PREFIX itself. Throws UsageError, which names file and node:
// files that are missing or cut off, messages of more than 64 MiB, whatever node_of() and graph_of() refuse.
Traces read(const std::string& path);

// The trace of one rank; errors name `file`.
RankTrace read_rank(std::streambuf& input, int rank, const std::string& file);

// PREFIX.RANK.et of all ranks, and PREFIX.comm_group.json where there are process groups: what ASTRA-sim takes as
// --workload-configuration=PREFIX and --comm-group-configuration, whose groups are named by decimal numbers. Whoever
// has the command line writes them. Requires: `ranks` lives as long as what is returned.
std::vector<report::TraceFile> files_of(const std::string& prefix, const std::vector<RankTrace>& ranks);

// The content of one rank's file.
std::string file_of(const RankTrace& trace, int rank);

}  // namespace sim::chakra
