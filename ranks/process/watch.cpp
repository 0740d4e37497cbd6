// The supervisor's other half: what happens outside simulated time.
#include "libsim/kernel/describe.hpp"
#include "ranks/process/supervisor.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

namespace sim::ranks {

namespace {

// How long a posted op can stay unseen when nobody rings for it.
constexpr std::chrono::milliseconds tick{10};

std::string signal_name(int signal) {
    const char* name = strsignal(signal);
    return fmt::format("signal {} ({}{})", signal, name == nullptr ? "unknown" : name,
                       signal == SIGKILL ? "; possibly out of memory" : "");
}

}  // namespace

void Supervisor::begin_watching() {
    watch_doorbell();
    watch_signals();
    watch_clock();
}

void Supervisor::watch_doorbell() {
    doorbell_.async_wait(
        boost::asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
            if (!error) {
                std::uint64_t rings = 0;
                [[maybe_unused]] const ssize_t got = read(doorbell_.native_handle(), &rings, sizeof rings);
                watch_doorbell();
            }
        });
}

void Supervisor::watch_signals() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
        if (error) {
            return;
        }
        if (signal == SIGCHLD) {
            note_changes();
        } else {
            fail(Failure::interrupted, -1,
                 fmt::format("stopped by {} at {}", signal_name(signal), describe_time(run_->kernel.end())), signal);
        }
        watch_signals();
    });
}

void Supervisor::watch_clock() {
    tick_.expires_after(tick);
    tick_.async_wait([this](const boost::system::error_code& error) {
        if (!error) {
            report_hung_ranks();
            watch_clock();
        }
    });
}

void Supervisor::watch_pace(Time next) {
    pace_.expires_at(run_->due(next));
    pace_.async_wait([](const boost::system::error_code&) {});  // waking is all it is for
}

// Signals of several ranks may come as one: every change is fetched.
void Supervisor::note_changes() {
    while (const std::optional<RankProcesses::Change> change = processes_->next_change()) {
        Rank& rank = of(change->rank);
        if (WIFSTOPPED(change->status)) {
            rank.stopped = true;
        } else if (WIFCONTINUED(change->status)) {
            rank.stopped = false;
            rank.last_sign = std::chrono::steady_clock::now();
        } else {
            rank.ended = true;
            rank.status = change->status;
            ended_.push_back(change->rank);
        }
    }
}

// A rank may end once its last op is posted; before, its end is the run's.
void Supervisor::report_ended_ranks() {
    for (const int rank : ended_) {
        const Op* last = last_op_of_ended(rank);
        if (last == nullptr || last->kind != OpKind::finish) {
            const int status = of(rank).status;
            fail(Failure::rank_died, rank, story_of(rank), WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        }
    }
    ended_.clear();
}

// What a rank posted before it ended still counts.
const Op* Supervisor::last_op_of_ended(int rank) {
    Rank& self = of(rank);
    try {
        self.inbox.fetch();
    } catch (const Inbox::Violation& violation) {
        fail(Failure::rank_died, rank, violation.what());
    }
    if (self.running && accept(rank)) {
        self.running = false;
        std::erase(running_, rank);
    }
    return self.inbox.last_op();
}

std::string Supervisor::story_of(int rank) const {
    const Rank& self = of(rank);
    const std::string who = fmt::format("rank {} (pid {})", rank, processes_->pids()[static_cast<std::size_t>(rank)]);
    const std::string where = where_rank_is(run_->kernel, rank);
    std::string story;
    if (WIFSIGNALED(self.status)) {
        story = fmt::format("{} was killed by {} {}", who, signal_name(WTERMSIG(self.status)), where);
    } else if (const char* words = const_cast<Inbox&>(self.inbox).last_words(); *words != '\0') {
        story = fmt::format("{} threw {}: {}", who, where, words);
    } else {
        story = fmt::format("{} exited with status {} {}, before its program returned", who, WEXITSTATUS(self.status),
                            where);
    }
    if (const Op* last = self.inbox.last_op()) {
        story += fmt::format("\n  its last op: {}", describe(*last));
    }
    return story;
}

void Supervisor::report_hung_ranks() {
    const WallTime now = std::chrono::steady_clock::now();
    for (const int rank : running_) {
        const Rank& self = of(rank);
        if (self.stopped || self.ended || now - self.last_sign < run_->options->watchdog) {
            continue;
        }
        const Op* last = self.inbox.last_op();
        fail(Failure::rank_hung, rank,
             fmt::format("rank {} (pid {}) hangs: no op for {} s, {}{}", rank,
                         processes_->pids()[static_cast<std::size_t>(rank)],
                         std::chrono::duration<double>(run_->options->watchdog).count(),
                         where_rank_is(run_->kernel, rank),
                         last == nullptr ? "" : "\n  its last op: " + describe(*last)));
        return;
    }
}

}  // namespace sim::ranks
