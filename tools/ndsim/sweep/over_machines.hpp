// MPI connects the processes that `mpirun` started, on this machine and on others; without it there is one alone. This
// is the one place that knows MPI, where ndsim was built with it.
//
// The first process hands out rows and takes them; the others make them.
#pragma once

#include "tools/command_line/row_queue.hpp"

namespace sim::tools {

class SweepHosts {
public:
    // Throws MachineLimit where mpirun started several of an ndsim that was built without MPI.
    SweepHosts();
    ~SweepHosts();
    SweepHosts(const SweepHosts&) = delete;
    SweepHosts& operator=(const SweepHosts&) = delete;

    int processes() const { return processes_; }
    bool is_first() const { return process_ == 0; }
    // Cores for this process: its share of the machine's.
    int cores() const { return cores_; }

    // Says whether the first process, and all of them, are ready to begin. All call it.
    struct Ready {
        bool first = true;
        bool all = true;
    };
    Ready agree(bool ready) const;

    // All call it; `queue` and `take` are the first process's. An exception ends all of them.
    void work_off(command_line::Queue& queue, command_line::Workers& workers, const command_line::RowMaker& make,
                  const command_line::RowTaker& take) const;

private:
    int process_ = 0;
    int processes_ = 1;
    int cores_ = 1;
};

}  // namespace sim::tools
