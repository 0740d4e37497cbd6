// The fuzz targets: everything that reads what somebody else wrote, as functions of some bytes.
//
// A target returns, or lets the errors through by which we refuse an input; anything else that it throws, and whatever
// a sanitizer sees, is a finding. tests/fuzz/corpus/NAME/ holds inputs of each, tools/fuzz.sh looks for more.
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

// Throws what is no refusal of the input: a finding.
void run_target(const FuzzTarget& target, const std::string& bytes);

}  // namespace sim::test
