// This table defines the exit codes of all executables, both for launched runs and for commands.
#pragma once

namespace sim::exit_code {

enum Code : int {
    done = 0,
    failed = 1,    // the answer is no: it does not fit, or numbers are wrong
    usage = 2,     // the command line or a file asks for something impossible
    deadlock = 3,  // or a mismatch between the program's own ops
    rank_died = 4,
    rank_hung = 5,
    no_output = 6,      // a result could not be written
    machine_limit = 7,  // this machine cannot run it
    stopped = 128,      // plus the signal
};

}  // namespace sim::exit_code
