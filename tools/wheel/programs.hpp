// These are the wheel's programs other than `ndsim`; tools/wheel/CMakeLists.txt writes the list.
#pragma once

#include <span>
#include <string_view>

int ndsim_main(int argc, char** argv);

namespace sim::wheel {

struct Program {
    std::string_view name;
    int (*main)(int argc, char** argv);
};

std::span<const Program> programs();

}  // namespace sim::wheel
