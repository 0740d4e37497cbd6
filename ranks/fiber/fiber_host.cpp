#include "ranks/hosts.hpp"

#include "libsim/error.hpp"
#include "libsim/kernel/parts/describe.hpp"
#include "libsim/plain_text.hpp"
#include "ranks/fiber/deaf_watch.hpp"
#include "ranks/fiber/fiber_port.hpp"
#include "ranks/fiber/stacks.hpp"
#include "ranks/fiber/sudden_ends.hpp"
#include "ranks/host/run.hpp"
#include "ranks/host/stop_signal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <memory>
#include <thread>

namespace sim::ranks {

namespace {

// A turn takes a microsecond or more: at this interval, reading the clock costs nothing.
constexpr int turns_between_looks = 64;
// Large enough that stack switches are rare, small enough that 100,000 ranks fit into memory.
constexpr std::size_t ops_per_turn = 32;

std::size_t stack_bytes(const LaunchOptions& options) {
    constexpr std::size_t few = 256U << 10U;
    constexpr std::size_t many = 64U << 10U;
    constexpr std::size_t least = 16U << 10U;
    return options.stack_bytes > 0 ? std::max(options.stack_bytes, least) : options.ranks <= 4096 ? few : many;
}

class FiberHost {
public:
    FiberHost(const LaunchOptions& options, const Program& program)
        : run_(options, options.clock == Clock::wall ? kernel::Order::time : kernel::Order::any),
          program_(&program),
          // In wall time every op is handed over, so that the program's own code runs when it is due.
          slots_each_(options.clock == Clock::wall ? 1 : ops_per_turn),
          stacks_(options.ranks, stack_bytes(options)),
          slots_(std::make_unique_for_overwrite<Op[]>(slots_each_ * static_cast<std::size_t>(options.ranks))),
          break_out_(options.watchdog),
          sudden_ends_(run_, stacks_, break_out_),
          deaf_watch_(break_out_, sudden_ends_, options.watchdog) {
        std::vector<int> pids(static_cast<std::size_t>(options.ranks));
        for (int rank = 0; rank < options.ranks; ++rank) {
            pids[static_cast<std::size_t>(rank)] = options.runs(rank) ? static_cast<int>(getpid()) : 0;
        }
        run_.begin_with(std::move(pids));
    }

    Result run() {
        for (int rank = 0; rank < run_.options->ranks; ++rank) {
            const std::size_t first = slots_each_ * static_cast<std::size_t>(rank);
            ports_.emplace_back(rank, run_, break_out_, std::span(&slots_[first], slots_each_));
        }
        try {
            take_turns();
        } catch (const ProgramError& error) {
            run_.fail(fault_of(error, -1));
        } catch (const std::overflow_error& error) {
            run_.fail_by_overflow(-1, error);
        } catch (...) {
            end_ranks();  // stacks must be unwound before their memory is freed
            throw;
        }
        end_ranks();
        return run_.result();
    }

private:
    void end_ranks() {
        for (FiberPort& port : ports_) {
            const SuddenEnds::Running here(sudden_ends_, port);
            port.end_rank();
        }
    }

    void take_turns() {
        int turns = 0;
        while (!run_.fault) {
            const std::optional<int> rank = run_.kernel.next_turn();
            if (!rank) {
                break;
            }
            if (run_.options->clock == Clock::wall) {
                wait_until(run_.kernel.time(*rank));
            }
            if (is_stopped()) {
                return;
            }
            if (++turns == turns_between_looks) {
                turns = 0;
                run_.look_at_the_clock();
                if (run_.progress_is_due()) {
                    run_.report_progress("");
                }
            }
            take_turn(ports_[static_cast<std::size_t>(*rank)]);
            run_.tell_log();
        }
        if (!run_.fault) {
            run_.end_by_standstill();
        }
    }

    bool is_stopped() {
        const int signal = stop_.received();
        if (signal != 0) {
            run_.fail(
                {.failure = Failure::interrupted, .signal = signal, .message = stopped_by(signal, run_.kernel.end())});
        }
        return signal != 0;
    }

    void take_turn(FiberPort& port) {
        if (run_.kernel.apply(port.rank())) {
            return;
        }
        if (port.waiting().empty() && port.threw) {
            run_.kernel.lose(port.rank());
            return;
        }
        if (port.waiting().empty() && !port.abandoned()) {
            resume(port);
        }
        if (port.abandoned() && (is_stopped() || port.waiting().empty())) {
            if (!run_.fail_by_mistake()) {
                fail_by_leaving(port);
            }
            return;
        }
        try {
            port.take(run_.kernel.accept(port.rank(), run_.kernel.at_once(port.rank(), port.waiting())));
        } catch (const std::overflow_error& error) {
            run_.fail_by_overflow(port.rank(), error);
        }
        if (out_of_memory_) {
            run_.fail({.failure = Failure::machine_limit,
                       .rank = port.rank(),
                       .message = fmt::format("rank {} got no memory {}: there is not enough for {} ranks", port.rank(),
                                              where_rank_is(run_.kernel, port.rank()), run_.options->ranks)});
        }
        if (thrown_ && run_.kernel.has_mistake()) {
            thrown_.reset();  // the program's mistake comes first: handling bad data may have ended the rank
            port.threw = true;
        }
        if (thrown_) {
            run_.fail({.failure = Failure::rank_died,
                       .rank = port.rank(),
                       .message = fmt::format("rank {} threw {}: {}", port.rank(),
                                              where_rank_is(run_.kernel, port.rank()), plain_text(*thrown_))});
        }
    }

    void fail_by_leaving(const FiberPort& port) {
        const int rank = port.rank();
        if (!port.overflowed()) {
            return run_.fail_by_silence(rank, fmt::format("rank {}", rank), port.last_op());
        }
        const Op* const last = port.last_op();
        run_.fail(
            {.failure = Failure::rank_died,
             .rank = rank,
             .signal = SIGSEGV,
             .message = fmt::format("rank {} ran over its stack of {} KiB {}; LaunchOptions::stack_bytes gives it "
                                    "a larger one{}",
                                    rank, stack_bytes(*run_.options) / 1024, where_rank_is(run_.kernel, rank),
                                    last == nullptr ? "" : "\n  its last op: " + kernel::describe(*last))});
    }

    void resume(FiberPort& port) {
        if (port.fiber.ended()) {  // not begun yet: a rank that has returned is finished, and never due
            port.begin(stacks_.stack(port.rank()), &FiberHost::run_program, this);
        }
        const SuddenEnds::Running here(sudden_ends_, port);
        port.run_rank();
    }

    static void run_program(FiberPort& port, void* self) {
        FiberHost& host = *static_cast<FiberHost*>(self);
        try {
            run_as_rank(*host.run_.options, port, *host.program_);
            port.finish();
        } catch (const RunIsOver&) {
        } catch (const std::bad_alloc&) {
            host.out_of_memory_ = true;
        } catch (const std::exception& error) {
            host.thrown_ = error.what();
        } catch (...) {
            host.thrown_ = "something that is not a std::exception";
        }
    }

    void wait_until(Time time) {
        using namespace std::chrono_literals;
        const auto due = run_.due(time);
        // Sleeps in slices, because a signal does not end a sleep.
        for (auto now = std::chrono::steady_clock::now(); now < due && stop_.received() == 0;
             now = std::chrono::steady_clock::now()) {
            run_.look_at_the_clock();
            std::this_thread::sleep_until(std::min(due, now + 10ms));
        }
        run_.has_come_to(time);
    }

    Run run_;
    const Program* program_;
    std::size_t slots_each_;
    Stacks stacks_;
    std::unique_ptr<Op[]> slots_;
    std::deque<FiberPort> ports_;
    StopSignal stop_;
    BreakOut break_out_;
    SuddenEnds sudden_ends_;
    DeafWatch deaf_watch_;
    std::optional<std::string> thrown_;  // message of what the last rank to run threw
    bool out_of_memory_ = false;         // of the last rank to run
};

}  // namespace

Result run_as_fibers(const LaunchOptions& options, const Program& program) {
    try {
        return FiberHost(options, program).run();
    } catch (const std::bad_alloc&) {
        Result result;
        result.fault = Fault{.failure = Failure::machine_limit,
                             .message = fmt::format("not enough memory for {} fiber ranks with stacks of {} KiB",
                                                    options.ranks, stack_bytes(options) / 1024)};
        return result;
    }
}

}  // namespace sim::ranks
