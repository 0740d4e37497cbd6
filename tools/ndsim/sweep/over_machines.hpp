// MPI connects the processes that `mpirun` started, on this machine and others; without it there is a single process.
// Only this file uses MPI, if ndsim was built with it.
//
// The first process hands out rows and collects them; all processes compute them.
#pragma once

#include "tools/command_line/workers.hpp"

namespace sim::tools {

class SweepHosts {
public:
    // Throws MachineLimit if mpirun started several processes and ndsim was built without MPI.
    SweepHosts();
    ~SweepHosts();
    SweepHosts(const SweepHosts&) = delete;
    SweepHosts& operator=(const SweepHosts&) = delete;

    int processes() const { return processes_; }
    bool is_first() const { return process_ == 0; }
    // The cores for this process: its share of the machine's.
    int cores() const { return cores_; }

    // Whether the first process, and all processes, are ready to begin. Every process must call agree().
    struct Ready {
        bool first = true;
        bool all = true;
    };
    Ready agree(bool ready) const;

    // Works off the queue. Every process must call it; only the first uses `queue` and `take`. An exception ends all
    // processes.
    void work_off(command_line::Queue& queue, command_line::Workers& workers, const command_line::RowMaker& make,
                  const command_line::RowTaker& take) const;

private:
    int process_ = 0;
    int processes_ = 1;
    int cores_ = 1;
};

}  // namespace sim::tools
