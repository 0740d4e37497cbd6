// A trace is one file per rank: PREFIX.RANK.et, plain or compressed by gzip (.et.gz).
//
// A file is a sequence of messages, each preceded by its length as a varint. ASTRA-sim cannot read gzip, and expects
// the process groups in a file of their own.
#pragma once

#include "libsim/interop/chakra/trace.hpp"
#include "libsim/report/trace_formats.hpp"

#include <streambuf>
#include <string>
#include <vector>

namespace sim::chakra {

// The traces of all ranks, from rank 0.
struct Traces {
    std::vector<RankTrace> ranks;
    std::vector<std::string> files;  // by rank, for errors
    ProcessGroups groups;            // in addition to those of each rank
};

// `path` is a folder with the files of one PREFIX, or PREFIX itself. Throws UsageError, which names file and node, for
// missing or truncated files, messages of more than 64 MiB, and all that node_of() and graph_of() refuse.
Traces read(const std::string& path);

// The trace of one rank; errors name `file`.
RankTrace read_rank(std::streambuf& input, int rank, const std::string& file);

// PREFIX.RANK.et of all ranks, and PREFIX.comm_group.json if there are process groups: ASTRA-sim takes them as
// --workload-configuration=PREFIX and --comm-group-configuration, whose groups are named by decimal numbers. The
// command line writes them. Requires: `ranks` outlives the result.
std::vector<report::TraceFile> files_of(const std::string& prefix, const std::vector<RankTrace>& ranks);

// The content of one rank's file.
std::string file_of(const RankTrace& trace, int rank);

}  // namespace sim::chakra
