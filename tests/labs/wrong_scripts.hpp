// Wrong PyTorch scripts, which are not to be named as a lab's known mistakes: the solution with something else in its
// gap.
#pragma once

#include <string_view>
#include <vector>

namespace wrong {

struct Script {
    int lab;
    std::string_view from;  // in the solution's gap, in all places
    std::string_view to;
    std::string_view named = "";  // the mistake that it is, in another form; empty: none
};

std::vector<Script> all_scripts();

}  // namespace wrong
