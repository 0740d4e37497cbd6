// libFuzzer's entry point for the target that NDSIM_FUZZ_TARGET names.
#include "tests/fuzz/targets.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

const sim::test::FuzzTarget& chosen_target() {
    const char* const name = std::getenv("NDSIM_FUZZ_TARGET");
    for (const sim::test::FuzzTarget& target : sim::test::fuzz_targets()) {
        if (name != nullptr && std::string_view(name) == target.name) {
            return target;
        }
    }
    std::fputs("NDSIM_FUZZ_TARGET must be a name of tests/fuzz/targets.cpp\n", stderr);
    std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const sim::test::FuzzTarget& target = chosen_target();
    sim::test::run_target(target, std::string(data, data + size));
    return 0;
}
