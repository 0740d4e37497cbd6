#include "ranks/hosts.hpp"

#include "ranks/process/signals.hpp"
#include "ranks/process/supervisor.hpp"

#include <fmt/format.h>
#include <boost/system/system_error.hpp>

#include <csignal>
#include <new>
#include <system_error>

namespace sim::ranks {

namespace {

// A rank whose program has returned only has to exit; a killed one only has to be gone.
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
                  .message = processes.running() > 0
                                 ? fmt::format("{} rank processes could not be ended", processes.running())
                                 : "processes that ranks have started could not be ended"});
    }
}

Result machine_limit(const std::string& what) {
    Result result;
    result.fault = Fault{.failure = Failure::machine_limit, .message = what};
    return result;
}

Result supervise(const LaunchOptions& options, const Program& program) {
    const auto begin = std::chrono::steady_clock::now();
    // Signals stay blocked while nobody handles them: until the supervisor listens, and after it stops until the
    // launcher's own handlers are restored.
    SignalsBlocked blocked;
    const HandlersKept kept;
    std::signal(SIGCHLD, SIG_DFL);  // if ignored, the exit status of ranks would be lost
    RankProcesses processes(options, program, blocked);
    Run run(options, kernel::Order::any);
    run.begin_with(processes.pids());
    {
        Supervisor supervisor(processes, run);
        blocked.unblock();
        supervisor.run();
        blocked.block();
    }
    end_ranks(processes, run);
    Result result = run.result();
    result.used = processes.used();
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

}  // namespace

Result run_as_processes(const LaunchOptions& options, const Program& program) {
    try {
        return supervise(options, program);
    } catch (const RankProcesses::MachineLimit& limit) {
        return machine_limit(limit.what());
    } catch (const boost::system::system_error& error) {
        return machine_limit(fmt::format("cannot watch {} ranks: {}", options.ranks, error.what()));
    } catch (const std::system_error& error) {
        return machine_limit(fmt::format("cannot reach {} ranks: {}", options.ranks, error.what()));
    } catch (const std::bad_alloc&) {
        return machine_limit(fmt::format("not enough memory for {} ranks", options.ranks));
    }
}

}  // namespace sim::ranks
