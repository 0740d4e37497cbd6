// A scenario is the mesh on which the training (trainer/trainer.hpp) runs, and the facts that its executable needs
// about it. A new scenario is one file with a main.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sim::scenarios {

struct Scenario {
    std::string name;     // of the executable
    std::string summary;  // one line for --help
    // The axes of the mesh (dp, tp, pp, ep, cp) with their default sizes; --ranks sizes the first. None: a single rank.
    std::vector<std::pair<std::string, int>> axes;
    bool ranks_are_world = false;       // --ranks sizes the whole mesh instead: the first axis gets the remaining ranks
    bool item_by_item = false;          // ranks take their items one by one instead of in micro-batches
    std::vector<std::string> examples;  // command lines, each with a comment

    bool has_axis(const std::string& axis) const {
        return std::any_of(axes.begin(), axes.end(), [&](const auto& own) { return own.first == axis; });
    }
};

// The main of a scenario: reads options, launches, shows. Returns the exit code.
int run(const Scenario& scenario, int argc, const char* const* argv);

}  // namespace sim::scenarios
