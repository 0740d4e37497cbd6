#include "ranks/process/supervisor.hpp"

#include "libsim/error.hpp"
#include "ranks/process/doorbells.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace sim::ranks {

namespace {

// Ranks that are about to post need a few microseconds: yielding this often costs less than going to sleep.
constexpr int most_idle_looks = 50;
// The interval at which signals and timers are checked even if the supervisor never sleeps.
constexpr std::chrono::microseconds between_polls{500};

}  // namespace

Supervisor::Supervisor(RankProcesses& processes, Run& run)
    : processes_(&processes),
      run_(&run),
      running_(run.options->ranks),
      doorbell_(io_, dup(processes.doorbell())),
      signals_(io_, SIGCHLD),
      tick_(io_),
      pace_(io_) {
    const WallTime now = std::chrono::steady_clock::now();
    for (int rank = 0; rank < run.options->ranks; ++rank) {
        ranks_.push_back(run.options->runs(rank)
                             ? std::make_unique<Rank>(Inbox(rank, processes.memory(rank), processes.arenas(), run))
                             : nullptr);
        if (ranks_.back()) {
            ranks_.back()->last_sign = now;
        }
    }
    begin_watching();
}

void Supervisor::run() {
    run_->begin = std::chrono::steady_clock::now();
    try {
        watch_and_serve();
    } catch (const std::overflow_error& error) {
        run_->fail_by_overflow(-1, error);
    }
    io_.poll();  // picks up a last signal
}

void Supervisor::watch_and_serve() {
    int idle_looks = 0;
    WallTime next_poll{};
    note_changes();  // changes from before the signals were watched
    while (!run_->fault) {
        release_due_ranks();
        run_->tell_log();
        const bool more = give_turns(next_poll);
        if (run_->fault) {
            return;
        }
        if (run_->kernel.all_finished() || run_->kernel.stuck()) {
            return run_->end_by_standstill();
        }
        const bool news = look_at_flagged_ranks() || more;
        report_ended_ranks();
        idle_looks = news ? 0 : idle_looks + 1;
        if (idle_looks > most_idle_looks) {
            sleep();
            idle_looks = 0;
        } else if (!news) {
            sched_yield();
        }
        if (const WallTime now = std::chrono::steady_clock::now(); now >= next_poll) {
            io_.poll();
            next_poll = now + between_polls;
        }
    }
}

void Supervisor::fail(Failure failure, int rank, std::string message, int signal) {
    run_->fail({.failure = failure, .rank = rank, .signal = signal, .message = std::move(message)});
}

// Runs until no rank is due, which returns false, or `until`: ranks that post without pause must not keep the
// supervisor from its other work.
bool Supervisor::give_turns(WallTime until) {
    while (!run_->fault) {
        const std::optional<int> rank = run_->kernel.next_turn();
        if (!rank) {
            return false;
        }
        if (is_due(*rank)) {
            take_turn(*rank);
        } else {
            const Time at = run_->kernel.time(*rank);
            paced_.push({at, *rank, run_->kernel.ops(*rank)});
            watch_pace(paced_.top().at);
        }
        if (std::chrono::steady_clock::now() >= until) {
            return true;
        }
    }
    return true;
}

bool Supervisor::is_due(int rank) {
    return run_->options->clock == Clock::virtual_time ||
           std::chrono::steady_clock::now() >= run_->due(run_->kernel.time(rank));
}

void Supervisor::release_due_ranks() {
    while (!paced_.empty() && std::chrono::steady_clock::now() >= run_->due(paced_.top().at)) {
        take_turn(paced_.pop().rank);
    }
    if (!paced_.empty()) {
        watch_pace(paced_.top().at);
    }
}

// A rank that does not run has no program to wait for.
void Supervisor::end_absent(int rank) {
    const Op last{.kind = OpKind::finish};
    run_->kernel.accept(rank, {&last, 1});
}

void Supervisor::take_turn(int rank) {
    if (ranks_[static_cast<std::size_t>(rank)] == nullptr) {
        return end_absent(rank);
    }
    Rank& self = of(rank);
    if (run_->options->clock == Clock::wall) {
        run_->has_come_to(run_->kernel.time(rank));
    }
    switch (run_->kernel.injected_fault(rank)) {
        case kernel::FaultEffect::death: return kill(rank);
        case kernel::FaultEffect::stop: return stop(rank);
        case kernel::FaultEffect::nothing: break;
    }
    go_on(rank);
    if (self.asked && self.inbox.waiting().empty()) {
        answer(rank);
    }
    if (!accept(rank)) {
        self.last_sign = std::chrono::steady_clock::now();
        running_.add(rank);
    }
}

// For LaunchOptions::faults: the process really stops. It continues when its turn comes.
void Supervisor::stop(int rank) {
    Rank& self = of(rank);
    if (self.ended || run_->fault) {
        return;
    }
    processes_->signal(rank, SIGSTOP);
    self.stopped_as_asked = true;
    run_->kernel.suspend(rank);
}

void Supervisor::go_on(int rank) {
    Rank& self = of(rank);
    if (self.stopped_as_asked) {
        self.stopped_as_asked = false;
        self.last_sign = std::chrono::steady_clock::now();
        processes_->signal(rank, SIGCONT);
    }
}

// For LaunchOptions::faults: the process is gone before any rank continues without it.
void Supervisor::kill(int rank) {
    constexpr std::chrono::seconds time_to_die{5};
    Rank& self = of(rank);
    if (self.ended || run_->fault) {
        return;  // it died of another cause, which is reported
    }
    const std::optional<int> status = processes_->kill(rank, time_to_die);
    if (!status) {
        return fail(Failure::machine_limit, rank, fmt::format("rank {} could not be killed", rank));
    }
    self.ended = true;
    self.status = *status;
    // It had ended by itself a moment earlier, which is a fault of the program.
    if (!WIFSIGNALED(*status) || WTERMSIG(*status) != SIGKILL) {
        return fail(Failure::rank_died, rank, end_of_rank_text(rank));
    }
    run_->kernel.lose(rank);
}

void Supervisor::answer(int rank) {
    Rank& self = of(rank);
    self.asked = false;
    const Time at = run_->kernel.time(rank);
    const Op& question = *self.inbox.last_op();
    if (question.kind == OpKind::take) {
        self.inbox.answer_with(at, run_->kernel.gathered(rank));
    } else {
        self.inbox.answer(at, run_->payload_of_answer(rank, question));
    }
}

// Passes the rank's posted ops to the kernel. False if there are none. Requires: the rank is out.
bool Supervisor::accept(int rank) {
    Rank& self = of(rank);
    try {
        if (self.inbox.waiting().empty()) {
            self.inbox.fetch();
        }
        if (const std::optional<Block> block = self.inbox.block_read()) {
            of(block->rank).inbox.release(block->offset);
        }
        if (const auto gathering = self.inbox.gathering_read()) {
            run_->give_back(*gathering, [this](const Payload& payload) {
                if (payload.block) {
                    of(payload.block->rank).inbox.release(payload.block->offset);
                }
            });
        }
        const std::span<const Op> ops = run_->kernel.at_once(rank, self.inbox.waiting());
        if (ops.empty()) {
            return false;
        }
        const std::size_t taken = run_->kernel.accept(rank, ops);
        // Only the last op can want an answer, because a rank that waits for one posts nothing further.
        self.asked = ops[taken - 1].answer;
        self.inbox.take(taken);
        self.last_sign = std::chrono::steady_clock::now();
    } catch (const Inbox::Violation& violation) {
        fail(Failure::rank_died, rank, violation.what());
    } catch (const std::overflow_error& error) {
        run_->fail_by_overflow(rank, error);
    }
    return true;
}

// True if it has posted, or has read further in a long answer. Requires: it is running.
bool Supervisor::look_at(int rank) {
    Rank& self = of(rank);
    bool news = false;
    try {
        if (self.inbox.pump()) {
            news = true;
            self.last_sign = std::chrono::steady_clock::now();
        }
    } catch (const Inbox::Violation& violation) {
        fail(Failure::rank_died, rank, violation.what());
        return true;
    }
    if (accept(rank)) {
        news = true;
        running_.remove(rank);
    }
    return news;
}

bool Supervisor::look_at_running_ranks() {
    bool news = false;
    for (std::size_t place = running_.all().size(); place > 0 && !run_->fault; --place) {
        news = look_at(running_.all()[place - 1]) || news;
    }
    return news;
}

// With few ranks, looks at all of them; with many, at those that have raised their flag.
bool Supervisor::look_at_flagged_ranks() {
    constexpr std::size_t few = 16;
    if (running_.all().size() <= few) {
        return look_at_running_ranks();
    }
    bool news = false;
    processes_->flags().take_down([&](int rank) {
        // Every rank can raise any flag, so the number may be of no rank that runs.
        if (rank < run_->options->ranks && running_.contains(rank) && !run_->fault) {
            news = look_at(rank) || news;
        }
    });
    return news;
}

void Supervisor::sleep() {
    std::atomic<std::uint32_t>& asleep = processes_->supervisor().asleep;
    asleep.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    // A rank that posted before it saw us sleep would not ring.
    if (!look_at_running_ranks()) {
        io_.run_one();
    }
    asleep.store(0, std::memory_order_relaxed);
    io_.poll();
}

}  // namespace sim::ranks
