// A case is one run of a lab's program: the number of ranks, the costs, and the numbers that the program is given.
#pragma once

#include "libsim/config/toml_file.hpp"
#include "libsim/faults/injection.hpp"
#include "ranks/lab.hpp"
#include "ranks/launch.hpp"

#include <string>
#include <vector>

namespace sim::lab {

struct Case {
    int ranks = 1;
    std::vector<config::TomlEntry> costs;  // keys and values of a profile (libsim/config/profile.hpp)
    Given given;
    bool blocking_sends = false;
    std::vector<faults::Injection> faults = {};
};

// {"cases": [{"ranks": 4, "costs": {"kind": "units", …}, "given": {"items": 16}, "blocking_sends": false,
//             "faults": ["kill rank 1 at 2s"]}, …]}
std::string to_json(const std::vector<Case>& cases);
// Throws UsageError, starting with `name`.
std::vector<Case> cases_from_json(const std::string& name, const std::string& json);

// The options for ranks::launch. Throws UsageError for costs that no profile has.
ranks::LaunchOptions launch_options(const Case& played, ranks::Host host);

}  // namespace sim::lab
