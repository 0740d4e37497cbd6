// This file is the supervisor's other half: events outside simulated time.
#include "libsim/check.hpp"
#include "libsim/kernel/parts/describe.hpp"
#include "libsim/plain_text.hpp"
#include "ranks/host/stop_signal.hpp"
#include "ranks/process/supervisor.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <utility>

namespace sim::ranks {

namespace {

// The longest time that a posted op can stay unseen if nobody rings for it.
constexpr std::chrono::milliseconds tick{10};
// Ranks that left their group send no visible signal; checking each costs a system call.
constexpr std::chrono::seconds between_thorough_looks{1};
// A tick this late means that the supervisor itself was stopped.
constexpr std::chrono::milliseconds pause{500};

}  // namespace

void Supervisor::begin_watching() {
    watch_doorbell();
    for (const int signal : stop_signals) {
        if (!stays_ignored(signal)) {
            signals_.add(signal);
        }
    }
    watch_signals();
    watch_clock();
}

void Supervisor::watch_doorbell() {
    doorbell_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                         [this](const boost::system::error_code& error) {
                             check(!error, "a doorbell cannot be watched: {}", error.message());
                             processes_->hear_lines();
                             watch_doorbell();
                         });
}

void Supervisor::watch_signals() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
        check(!error, "signals cannot be watched: {}", error.message());
        if (signal == SIGCHLD) {
            note_changes();
        } else {
            fail(Failure::interrupted, -1, stopped_by(signal, run_->kernel.end()), signal);
        }
        watch_signals();
    });
}

void Supervisor::watch_clock() {
    tick_.expires_after(tick);
    tick_.async_wait([this](const boost::system::error_code& error) {
        check(!error, "a clock cannot be watched: {}", error.message());
        discount_pause();
        note_changes();  // in case a signal was lost, or never delivered
        report_hung_ranks();
        look_at_running_ranks();  // including those that have posted without a flag
        if (run_->options->on_pulse) {
            note_progress();
        }
        report_progress();
        run_->look_at_the_clock();
        watch_clock();
    });
}

// Whatever stopped the supervisor stopped the ranks' clocks, too.
void Supervisor::discount_pause() {
    const WallTime now = std::chrono::steady_clock::now();
    const bool paused = last_tick_ != WallTime{} && now - last_tick_ > pause;
    for (const std::unique_ptr<Rank>& rank : ranks_) {
        if (paused && rank) {
            rank->last_sign = now;
        }
    }
    last_tick_ = now;
}

void Supervisor::watch_pace(Time next) {
    pace_.expires_at(run_->due(next));
    pace_.async_wait([](const boost::system::error_code&) {});  // its only purpose is to wake
}

void Supervisor::notice(const std::string& what) const {
    if (run_->options->on_notice) {
        run_->options->on_notice(what);
    }
}

// A long run without visible activity reports its progress, and what would be faster.
void Supervisor::note_progress() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        if (ranks_[rank]) {
            run_->progress(static_cast<int>(rank), ranks_[rank]->inbox.share_done());
        }
    }
}

void Supervisor::report_progress() {
    if (!run_->progress_is_due()) {
        return;
    }
    note_progress();
    const bool is_crowd = run_->options->count_of_running() > cores();
    run_->report_progress(
        is_crowd ? fmt::format("; they share {} cores, and fibers would give the same timeline sooner", cores()) : "");
}

// Signals of several ranks may be merged into one, so every change is fetched.
void Supervisor::note_changes() {
    using Look = RankProcesses::Look;
    const WallTime now = std::chrono::steady_clock::now();
    const bool thoroughly = now >= next_thorough_look_;
    if (thoroughly) {
        next_thorough_look_ = now + between_thorough_looks;
    }
    note_changes(thoroughly ? Look::at_each : Look::at_group);
}

void Supervisor::note_changes(RankProcesses::Look look) {
    const WallTime now = std::chrono::steady_clock::now();
    for (const auto& [number, status] : processes_->changes(look)) {
        Rank& rank = of(number);
        if (WIFSTOPPED(status)) {
            rank.stopped = true;
            if (rank.stopped_as_asked) {
                continue;
            }
            notice(fmt::format("{} is stopped; the run waits until it goes on", name_of(number)));
        } else if (WIFCONTINUED(status)) {
            rank.stopped = false;
            notice(fmt::format("rank {} goes on", number));
            rank.last_sign = now;
        } else {
            rank.ended = true;
            rank.status = status;
            ended_.push_back(number);
        }
    }
}

// A rank may end once its last op is posted; an earlier end is that of the run.
void Supervisor::report_ended_ranks() {
    std::vector<int> later;
    for (const int rank : ended_) {
        const Op* last = last_op_of_ended(rank);
        if (run_->kernel.status(rank) == kernel::Kernel::Status::due) {
            later.push_back(rank);  // the kernel has not reached its last ops
        } else if (run_->kernel.has_mistake()) {
            // The program's mistake comes first: handling bad data may have ended the rank.
            if (!lose(rank)) {
                later.push_back(rank);
            }
        } else if (const std::string lack = shortage_of(rank); !lack.empty()) {
            fail(Failure::machine_limit, rank, lack);
        } else if (last == nullptr || last->kind != OpKind::finish) {
            const int status = of(rank).status;
            fail(Failure::rank_died, rank, end_of_rank_text(rank), WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        }
    }
    ended_ = std::move(later);
}

// The other ranks go on without it. False: it is not its turn, so none does yet.
bool Supervisor::lose(int rank) {
    if (!running_.contains(rank)) {
        return false;
    }
    running_.remove(rank);
    run_->kernel.lose(rank);
    return true;
}

// Ops that a rank posted before it ended still count.
const Op* Supervisor::last_op_of_ended(int rank) {
    Rank& self = of(rank);
    try {
        self.inbox.fetch();
    } catch (const Inbox::Violation& violation) {
        fail(Failure::rank_died, rank, violation.what());
    }
    if (running_.contains(rank) && accept(rank)) {
        running_.remove(rank);
    }
    return self.inbox.last_op();
}

std::string Supervisor::name_of(int rank) const {
    return fmt::format("rank {} (pid {})", rank, processes_->pids()[static_cast<std::size_t>(rank)]);
}

// The resource that the machine denied its program, which ended it; empty: none.
std::string Supervisor::shortage_of(int rank) const {
    const std::string where = where_rank_is(run_->kernel, rank);
    switch (of(rank).inbox.lack()) {
        case Lack::memory:
            return fmt::format("{} got no memory {}: there is not enough for {} ranks", name_of(rank), where,
                               run_->options->count_of_running());
        case Lack::as_said: return fmt::format("{} could not go on {}: {}", name_of(rank), where, last_words_of(rank));
        default: return "";
    }
}

// Its exception's message, without characters that control a terminal.
std::string Supervisor::last_words_of(int rank) const {
    return plain_text(const_cast<Inbox&>(of(rank).inbox).last_words());
}

std::string Supervisor::end_of_rank_text(int rank) const {
    const Rank& self = of(rank);
    const std::string who = name_of(rank);
    const std::string where = where_rank_is(run_->kernel, rank);
    std::string story;
    if (WIFSIGNALED(self.status)) {
        story = fmt::format("{} was killed by {} {}", who, signal_name(WTERMSIG(self.status)), where);
    } else if (const std::string words = last_words_of(rank); !words.empty()) {
        story = fmt::format("{} threw {}: {}", who, where, words);
    } else {
        story = fmt::format("{} exited with status {} {}, before its program returned", who, WEXITSTATUS(self.status),
                            where);
    }
    if (const Op* last = self.inbox.last_op()) {
        story += fmt::format("\n  its last op: {}", kernel::describe(*last));
    }
    return story;
}

// Checks once more before reporting a rank.
bool Supervisor::has_posted(int rank) {
    try {
        return of(rank).inbox.fetch();
    } catch (const Inbox::Violation& violation) {
        fail(Failure::rank_died, rank, violation.what());
        return true;
    }
}

void Supervisor::report_hung_ranks() {
    const WallTime now = std::chrono::steady_clock::now();
    bool looked = false;
    for (const int rank : running_.all()) {
        Rank& self = of(rank);
        if (self.stopped || self.ended || now - self.last_sign < run_->options->watchdog) {
            continue;
        }
        if (!std::exchange(looked, true)) {
            note_changes(RankProcesses::Look::at_each);  // it may have left its group and died
        }
        if (self.stopped || self.ended || has_posted(rank)) {
            continue;
        }
        if (run_->fail_by_mistake()) {
            return;
        }
        return run_->fail_by_silence(rank, name_of(rank), self.inbox.last_op());
    }
}

}  // namespace sim::ranks
