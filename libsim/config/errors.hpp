// What can go wrong outside of the simulation. Messages are complete and one line long.
#pragma once

#include <stdexcept>

namespace sim::scenarios {

// The command line or a file of the user's asks for what cannot be: exit code 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A result could not be written: exit code 6.
struct OutputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// This machine cannot do it: exit code 7.
struct MachineLimit : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A signal asked us to stop while the results were put together.
struct Interrupted {
    int signal = 0;
};

}  // namespace sim::scenarios
