#include "ranks/process/process_host.hpp"

#include "ranks/process/signals.hpp"
#include "ranks/process/supervisor.hpp"

#include <fmt/format.h>

namespace sim::ranks {

namespace {

// A rank whose program has returned has only to leave; one that was killed has only to be gone.
constexpr std::chrono::seconds time_to_leave{2};
constexpr std::chrono::seconds time_to_die{5};

void end_ranks(RankProcesses& processes, Run& run) {
    if (run.fault) {
        processes.kill_all();
    }
    if (processes.reap_all(run.fault ? time_to_die : time_to_leave)) {
        return;
    }
    processes.kill_all();
    if (!processes.reap_all(time_to_die)) {
        run.fail({.failure = Failure::machine_limit,
                  .message = fmt::format("{} rank processes could not be ended", processes.running())});
    }
}

}  // namespace

Result run_as_processes(const LaunchOptions& options, const Program& program) {
    const auto begin = std::chrono::steady_clock::now();
    const HandlersKept kept;
    try {
        SignalsBlocked blocked;  // nobody could handle them yet
        RankProcesses processes(options, program, blocked);
        Run run(options, Order::any);
        run.begin_with(processes.pids());
        {
            Supervisor supervisor(processes, run);
            blocked.unblock();
            supervisor.run();
        }
        end_ranks(processes, run);
        Result result = run.result();
        result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return result;
    } catch (const RankProcesses::MachineLimit& limit) {
        Result result;
        result.fault = Fault{.failure = Failure::machine_limit, .message = limit.what()};
        return result;
    }
}

}  // namespace sim::ranks
