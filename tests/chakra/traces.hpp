// Reads traces given as lines of text with our reader.
#pragma once

#include "libsim/interop/chakra/files.hpp"
#include "tests/chakra/text_traces.hpp"

#include <fstream>
#include <string>
#include <vector>

namespace sim::test {

// Writes trace files the way the programs do.
inline void write_traces(const std::string& prefix, const std::vector<chakra::RankTrace>& ranks) {
    for (const report::TraceFile& file : chakra::files_of(prefix, ranks)) {
        std::ofstream out(file.name, std::ios::binary);
        file.write(out);
    }
}

// Traces of ranks 0, 1, …, given as lines.
inline chakra::Traces traces_of(const std::vector<std::string>& ranks) {
    const TextTraces text;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        text.with(static_cast<int>(rank), ranks[rank]);
    }
    return chakra::read(text.prefix());
}

}  // namespace sim::test
