// The supervisor connects the rank processes and the kernel: it fetches ops, gives turns, answers questions, and
// monitors processes.
//
// To the supervisor, a rank is either
//   answering to the kernel   due or blocked: the kernel has its ops, or it waits in simulated time;
//   running                   its turn was handed out and it has posted nothing since: it runs its own code.
// The supervisor sleeps only if some rank is running and none has posted anything; a rank's doorbell, a signal or a
// timer wakes it. If no rank is running and none is due, no rank can ever resume: a deadlock, found at once.
#pragma once

#include "libsim/kernel/parts/event_queue.hpp"
#include "ranks/host/run.hpp"
#include "ranks/process/inbox.hpp"
#include "ranks/process/rank_processes.hpp"
#include "ranks/process/running_ranks.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace sim::ranks {

class Supervisor {
public:
    Supervisor(RankProcesses& processes, Run& run);

    // Runs until the program has ended or something goes wrong, which run.fault describes.
    void run();

private:
    using WallTime = std::chrono::steady_clock::time_point;

    struct Rank {
        explicit Rank(Inbox opened) : inbox(std::move(opened)) {}

        Inbox inbox;
        bool asked = false;    // its last op expects an answer
        bool stopped = false;  // by SIGSTOP
        bool stopped_as_asked = false;
        bool ended = false;    // as a process
        int status = 0;        // how it ended
        WallTime last_sign{};  // last time that it posted an op or got an answer or turn
    };

    // supervisor.cpp
    void watch_and_serve();
    bool give_turns(WallTime until);
    void take_turn(int rank);
    void end_absent(int rank);
    void kill(int rank);
    void stop(int rank);
    void go_on(int rank);
    void answer(int rank);
    bool look_at_running_ranks();
    bool look_at_flagged_ranks();
    bool look_at(int rank);
    bool accept(int rank);
    void sleep();
    bool is_due(int rank);
    void release_due_ranks();
    void fail(Failure failure, int rank, std::string message, int signal = 0);

    // watch.cpp: signals, timers, and ranks that end, stop or hang
    void begin_watching();
    void watch_doorbell();
    void watch_signals();
    void watch_clock();
    void watch_pace(Time next);
    void note_changes();
    void note_changes(RankProcesses::Look look);
    void report_ended_ranks();
    bool lose(int rank);
    const Op* last_op_of_ended(int rank);
    void discount_pause();
    bool has_posted(int rank);
    void report_hung_ranks();
    void note_progress();
    void report_progress();
    void notice(const std::string& what) const;
    std::string name_of(int rank) const;
    std::string shortage_of(int rank) const;
    std::string last_words_of(int rank) const;
    std::string end_of_rank_text(int rank) const;

    // Requires: the rank runs.
    Rank& of(int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }
    const Rank& of(int rank) const { return *ranks_[static_cast<std::size_t>(rank)]; }

    RankProcesses* processes_;
    Run* run_;
    std::vector<std::unique_ptr<Rank>> ranks_;  // null: it does not run
    RunningRanks running_;
    std::vector<int> ended_;  // ranks whose end has not been handled
    WallTime next_thorough_look_{};
    WallTime last_tick_{};      // 0: none yet
    kernel::EventQueue paced_;  // Clock::wall: turns that are not due yet
    boost::asio::io_context io_;
    boost::asio::posix::stream_descriptor doorbell_;
    boost::asio::signal_set signals_;
    boost::asio::steady_timer tick_;
    boost::asio::steady_timer pace_;
};

}  // namespace sim::ranks
