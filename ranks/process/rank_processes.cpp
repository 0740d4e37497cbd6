#include "ranks/process/rank_processes.hpp"

#include "libsim/check.hpp"
#include "ranks/process/process_port.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <thread>

namespace sim::ranks {

namespace {

std::string reason() {
    return std::strerror(errno);
}

// The parent's handlers would run the parent's code in the child.
void reset_signal_handlers() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXFSZ}) {
        std::signal(signal, SIG_DFL);
    }
}

void flush_output() {
    std::cout.flush();
    std::fflush(nullptr);
}

// Where many more ranks than cores want to run, the supervisor must not wait for all of them whenever it gives way:
// they weigh less than it does. Among themselves they are equal, and together still heavier than any one other program.
void weigh_less(int ranks) {
    constexpr int many = 32;   // for each core
    constexpr int steps = 10;  // each makes a process lighter by a fifth
    if (ranks > many * cores()) {
        [[maybe_unused]] const int priority = nice(steps);
    }
}

void leave_last_words(RankMemory& memory, const char* text) {
    std::strncpy(memory.last_words.data(), text, memory.last_words.size() - 1);
}

}  // namespace

int cores() {
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

RankProcesses::RankProcesses(const LaunchOptions& options, const Program& program, SignalsBlocked& blocked)
    : arenas_(options.ranks),
      ended_(static_cast<std::size_t>(options.ranks)),
      used_(static_cast<std::size_t>(options.ranks)) {
    map_memory(options.ranks);
    event_descriptor_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (event_descriptor_ < 0) {
        throw MachineLimit(fmt::format("cannot open a doorbell: {}", reason()));
    }
    try {
        fork_all(options, program, blocked);
    } catch (...) {
        kill_all();
        reap_all(std::chrono::seconds(5));
        close(event_descriptor_);
        throw;
    }
}

RankProcesses::~RankProcesses() {
    if (running_ > 0) {
        kill_all();
        reap_all(std::chrono::seconds(5));
    }
    close(event_descriptor_);
}

void RankProcesses::map_memory(int ranks) {
    const std::size_t page = boost::interprocess::mapped_region::get_page_size();
    const auto in_pages = [page](std::size_t size) { return (size + page - 1) / page * page; };
    bytes_of_flags_ = in_pages(Flags::bytes_for(ranks));
    bytes_each_ = in_pages(sizeof(RankMemory));
    const std::size_t before = page + bytes_of_flags_;
    const std::size_t bytes = before + bytes_each_ * static_cast<std::size_t>(ranks);
    try {
        region_ = boost::interprocess::anonymous_shared_memory(bytes);
    } catch (const boost::interprocess::interprocess_exception& error) {
        throw MachineLimit(fmt::format("cannot share {} MB with {} ranks: {}", bytes / 1'000'000, ranks, error.what()));
    }
    // Pages come zeroed: every position begins at 0 without being touched.
    auto* at = static_cast<std::byte*>(region_.get_address());
    supervisor_ = reinterpret_cast<SupervisorMemory*>(at);
    flags_.emplace(at + page, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
        memories_.push_back(reinterpret_cast<RankMemory*>(at + before + bytes_each_ * static_cast<std::size_t>(rank)));
    }
}

void RankProcesses::fork_all(const LaunchOptions& options, const Program& program, SignalsBlocked& blocked) {
    flush_output();  // or every child would write it once more
    const int parent = static_cast<int>(getpid());
    for (int rank = 0; rank < options.ranks; ++rank) {
        const int pid = static_cast<int>(fork());
        if (pid < 0) {
            throw MachineLimit(
                fmt::format("cannot start rank {} of {}: {} (see ulimit -u)", rank, options.ranks, reason()));
        }
        if (pid == 0) {
            setpgid(0, group_);
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent) {
                _exit(1);  // the supervisor died before the line above
            }
            reset_signal_handlers();
            weigh_less(options.ranks);
            blocked.unblock();
            be_rank(rank, options, program);
        }
        // Both sides say it, so that neither has to wait for the other.
        if (group_ == 0) {
            group_ = pid;
        }
        setpgid(pid, group_);
        pids_.push_back(pid);
        ++running_;
    }
}

// A rank reaches its own memory, the flags, which are hints, and, reading, the supervisor's word and the arenas:
// whatever it does, it cannot disturb another rank.
void RankProcesses::forget_other_memory(int rank) {
    arenas_.keep_own(rank);
    auto* const first = reinterpret_cast<std::byte*>(supervisor_);
    auto* const mine = reinterpret_cast<std::byte*>(memories_[static_cast<std::size_t>(rank)]);
    auto* const end = first + region_.get_size();
    const std::size_t page = boost::interprocess::mapped_region::get_page_size();
    mprotect(first, page, PROT_READ);
    const std::size_t before = page + bytes_of_flags_;
    if (mine > first + before) {
        munmap(first + before, static_cast<std::size_t>(mine - first) - before);
    }
    if (mine + bytes_each_ < end) {
        munmap(mine + bytes_each_, static_cast<std::size_t>(end - mine) - bytes_each_);
    }
}

void RankProcesses::be_rank(int rank, const LaunchOptions& options, const Program& program) {
    RankMemory& own = memory(rank);
    int status = 1;
    try {
        forget_other_memory(rank);
        // It must not be ahead of the time at which it is killed, or gone already.
        const bool is_to_be_killed = options.kill && options.kill->rank == rank;
        ProcessPort port(own, *supervisor_, *flags_, arenas_,
                         {.rank = rank,
                          .ranks = options.ranks,
                          .event_descriptor = event_descriptor_,
                          .looks_before_sleep = looks_before_sleep(options.ranks, cores()),
                          .answer_every_op = options.clock == Clock::wall || is_to_be_killed});
        run_as_rank(options, port, program);
        flush_output();  // before the run can end
        port.finish();
        status = 0;
    } catch (const std::exception& error) {
        leave_last_words(own, error.what());
    } catch (...) {
        leave_last_words(own, "something that is not a std::exception");
    }
    flush_output();
    _exit(status);
}

void RankProcesses::note_end(std::size_t rank, const rusage& used) {
    constexpr std::int64_t kibibyte = 1024;  // in which Linux counts it
    const auto seconds_of = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    ended_[rank] = true;
    --running_;
    used_[rank] = {.peak_resident_bytes = used.ru_maxrss * kibibyte,
                   .cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime)};
}

std::vector<RankProcesses::Change> RankProcesses::changes(Look look) {
    constexpr int all_kinds = WNOHANG | WUNTRACED | WCONTINUED;
    std::vector<Change> found;
    rusage used{};
    const auto note = [&](std::size_t rank, int status) {
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            note_end(rank, used);
        }
        found.push_back({static_cast<int>(rank), status});
    };
    int status = 0;
    for (int pid = 0; (pid = static_cast<int>(wait4(-group_, &status, all_kinds, &used))) > 0;) {
        const auto rank = std::find(pids_.begin(), pids_.end(), pid);
        check(rank != pids_.end(), "process {} is in the ranks' group and is no rank", pid);
        note(static_cast<std::size_t>(rank - pids_.begin()), status);
    }
    for (std::size_t rank = 0; look == Look::at_each && rank < pids_.size(); ++rank) {
        if (!ended_[rank] && wait4(pids_[rank], &status, all_kinds, &used) > 0) {
            note(rank, status);
        }
    }
    return found;
}

std::optional<int> RankProcesses::kill(int rank, std::chrono::milliseconds at_most) {
    const auto index = static_cast<std::size_t>(rank);
    ::kill(pids_[index], SIGKILL);
    const auto end = std::chrono::steady_clock::now() + at_most;
    int status = 0;
    rusage used{};
    while (wait4(pids_[index], &status, WNOHANG, &used) == 0) {
        if (std::chrono::steady_clock::now() > end) {
            return std::nullopt;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    note_end(index, used);
    return status;
}

void RankProcesses::kill_all() {
    if (running_ > 0) {
        ::kill(-group_, SIGKILL);
    }
    for (std::size_t rank = 0; rank < pids_.size(); ++rank) {
        if (!ended_[rank]) {
            ::kill(pids_[rank], SIGKILL);  // it may have left the group; not reaped, its pid is still its own
        }
    }
}

bool RankProcesses::reap_all(std::chrono::milliseconds at_most) {
    const auto end = std::chrono::steady_clock::now() + at_most;
    while (running_ > 0 && std::chrono::steady_clock::now() < end) {
        if (changes(Look::at_each).empty()) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }
    return running_ == 0;
}

}  // namespace sim::ranks
