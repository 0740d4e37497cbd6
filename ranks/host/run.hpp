// A Run holds the parts of one run that all hosts share: the kernel, the state around it, and the assembly of the
// result.
#pragma once

#include "libsim/error.hpp"
#include "libsim/kernel/kernel.hpp"
#include "libsim/replay/op_tape.hpp"
#include "libsim/trace/timeline_hash.hpp"
#include "ranks/host/log_lines.hpp"
#include "ranks/host/payloads.hpp"
#include "ranks/host/standings.hpp"
#include "ranks/launch.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace sim::ranks {

struct Run {
    Run(const LaunchOptions& options, kernel::Order order);

    // To be called when the ranks have started: notifies the launcher's callback.
    void begin_with(std::vector<int> rank_pids);
    // Fills in what the kernel knows; leaves `fault` unchanged.
    Result result();
    // Outputs the log lines that no later line can precede. Called often; seldom does anything.
    void tell_log() {
        if (log.holds_any()) [[unlikely]] {
            forward_log();
        }
    }
    // Keeps a rank's payload until it is received. Too much of it ends the run.
    void keep(int source, Payload&& payload) {
        payloads.put(source, std::move(payload));
        look_at_unreceived(source, 0);
    }
    // `on_its_way`: bytes that the rank has sent and that belong to no op yet. Cheap while there are few.
    void look_at_unreceived(int source, std::size_t on_its_way) {
        constexpr std::size_t few = 16U << 20U;
        if (payloads.held() + on_its_way > few) [[unlikely]] {
            limit_unreceived(source, on_its_way);
        }
    }
    // The most that a rank may have sent unreceived.
    std::size_t most_unreceived() const;
    // The payload that goes with the answer to the rank's question; empty: none.
    Payload payload_of_answer(int rank, const Op& question);
    // To be called when a rank has read what it took: calls `gone(payload)` for each payload that nobody else will
    // read.
    template <class Gone>
    void give_back(const kernel::Contributions& gathering, Gone gone) {
        for (const kernel::Delivery& brought : gathering.all) {
            if (brought.bytes == 0) {
                continue;
            }
            if (const auto payload = payloads.give_back(brought.source, brought.number, gathering.takers)) {
                gone(*payload);
            }
        }
    }
    void report(int rank, Label name, std::vector<double> values) {
        reports[names.text(name)][rank] = std::move(values);
    }
    void progress(int rank, double share_done) { shares_done[static_cast<std::size_t>(rank)] = share_done; }
    // Keeps only the first fault.
    void fail(Fault fault);
    // To be called when no rank can go on. That is no fault if all ranks have returned and left nothing undone;
    // otherwise the fault is the first mistake, an injected death of a rank, or a deadlock.
    void end_by_standstill();
    // Reports the mistake that the kernel has found by now; false: none.
    bool fail_by_mistake();
    // Reports that simulated time, or a counter, left its range in an op of that rank; -1: of no single rank.
    void fail_by_overflow(int rank, const std::overflow_error& error);
    // Reports that a rank has run its own code for longer than the watchdog's time. `who`: the name to print; `last`:
    // its last op, or null.
    void fail_by_silence(int rank, const std::string& who, const Op* last);
    double wall_seconds() const;
    // The progress of the slowest rank; 0: not all have reported it.
    double share_done() const;
    // Whether a run in virtual time is due to report its progress to the user again. Reads a clock.
    bool progress_is_due();
    // Tells the user how far it is, and appends `advice`.
    void report_progress(const std::string& advice);
    // Tells the launcher how far the run is, if it is time to. Reads a clock: not for inner loops.
    void look_at_the_clock();
    // Reports that simulated time has reached `time`. It never decreases, although a stream's time may be ahead.
    void has_come_to(Time time);
    // The wall time at which simulated `time` is due. Clock::wall only.
    std::chrono::steady_clock::time_point due(Time time) const;

    const LaunchOptions* options;
    Names names;
    Groups groups;
    std::optional<TimelineHash> hash;
    std::optional<replay::OpTape> tape;
    Payloads payloads;
    LogLines log;
    Standings standings;
    kernel::Kernel kernel;
    std::map<std::string, std::map<int, std::vector<double>>> reports;
    std::vector<double> shares_done;  // by rank, as reported; 0: nothing yet
    std::optional<Fault> fault;
    std::vector<int> pids;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

private:
    std::string what_was_lost() const;
    void fail_by_leftovers();
    void fail_by_loss();

    Time furthest_;
    std::size_t half_of_memory_;
    std::chrono::steady_clock::time_point next_pulse_{};
    std::chrono::steady_clock::time_point last_progress_ = std::chrono::steady_clock::now();

    SpanSink span_sink();
    kernel::LogOpSink log_sink();
    kernel::OpSink op_sink();
    kernel::StepsSink steps_sink();
    void forward_log();
    void limit_unreceived(int source, std::size_t on_its_way);
};

// Throws std::invalid_argument for invalid options.
void check_options(const LaunchOptions& options);

// The fault behind `error`, which the kernel threw. `rank`: whose op it was; -1: no single rank's.
Fault fault_of(const ProgramError& error, int rank);

// Runs a rank's program on this port, or on the one that the launcher put before it.
void run_as_rank(const LaunchOptions& options, Port& port, const Program& program);

// "signal 2 (Interrupt)", and the message for a run that a signal has ended.
std::string signal_name(int signal);
std::string stopped_by(int signal, Time at);

// "after op 12, receive from 3, tag 7, at 1.5 s", for reports on a rank that has died.
std::string where_rank_is(const kernel::Kernel& kernel, int rank);

}  // namespace sim::ranks
