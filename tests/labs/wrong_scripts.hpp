// Wrong PyTorch scripts, which must not be named as a lab's known mistakes: the solution with a replacement in its gap.
#pragma once

#include <string_view>
#include <vector>

namespace wrong {

struct Script {
    int lab;
    std::string_view from;  // in the solution's gap, at every occurrence
    std::string_view to;
    std::string_view named = "";  // the mistake that it is another form of, or empty
};

std::vector<Script> all_scripts();

}  // namespace wrong
