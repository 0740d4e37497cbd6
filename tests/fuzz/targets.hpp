// The fuzz targets: every parser of foreign input, as a function of bytes.
//
// A target returns, or throws one of our errors to refuse an input; any other exception, and any sanitizer report, is a
// finding. tests/fuzz/corpus/NAME/ holds inputs for each, and tools/fuzz.sh searches for more.
#pragma once

#include <functional>
#include <span>
#include <string>

namespace sim::test {

struct FuzzTarget {
    const char* name;
    void (*read)(const std::string& bytes);
};

std::span<const FuzzTarget> fuzz_targets();

// Throws anything but a refusal of the input: a finding.
void run_target(const FuzzTarget& target, const std::string& bytes);

}  // namespace sim::test
