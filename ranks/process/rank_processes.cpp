#include "ranks/process/rank_processes.hpp"

#include "ranks/host/machine_limits.hpp"
#include "ranks/host/run.hpp"
#include "ranks/process/process_port.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>
#include <system_error>
#include <thread>

namespace sim::ranks {

namespace {

// Files that a run opens in addition to the lines and queues of its ranks, and that its launcher may open meanwhile.
constexpr rlim_t files_beside = 64;
// The system's memory for an idle process, including the pages that it writes.
constexpr std::int64_t bytes_of_rank = 300'000;
// For few processes, trying is faster than counting.
constexpr int few_ranks = 64;

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

// If many more ranks than cores are ready to run, the supervisor must not wait for all of them whenever it yields: they
// get a lower priority. Among themselves they are equal, and together still weigh more than any one other program.
void weigh_less(int ranks) {
    constexpr int many = 32;   // per core
    constexpr int steps = 10;  // each reduces a process's weight by a fifth
    if (ranks > many * cores()) {
        [[maybe_unused]] const int priority = nice(steps);
    }
}

void leave_last_words(RankMemory& memory, const char* text) {
    std::strncpy(memory.last_words.data(), text, memory.last_words.size() - 1);
}

std::size_t bytes_of_arena(const LaunchOptions& options, const FileLimit& files) {
    const auto ranks = static_cast<rlim_t>(options.count_of_running());
    // An arena keeps its descriptor open, in addition to the rank's line.
    const bool has_room = files.left() > 3 * ranks + files_beside;
    const std::size_t most = options.most_unreceived_bytes > 0 ? options.most_unreceived_bytes
                                                               : static_cast<std::size_t>(available_memory()) / 2;
    return has_room ? arena_bytes(options.ranks, most) : 0;
}

}  // namespace

int cores() {
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

RankProcesses::RankProcesses(const LaunchOptions& options, const Program& program, SignalsBlocked& blocked)
    : lines_(options.ranks),
      arenas_(options.ranks, bytes_of_arena(options, files_), lines_),
      unmapped_(static_cast<std::size_t>(options.ranks)),
      memories_(static_cast<std::size_t>(options.ranks)),
      pids_(static_cast<std::size_t>(options.ranks)),
      ended_(static_cast<std::size_t>(options.ranks), true),
      used_(static_cast<std::size_t>(options.ranks)) {
    require_room(options.count_of_running());
    try {
        share_words(options.ranks);
        fork_all(options, program, blocked);
        map_memories();
    } catch (...) {
        end();
        throw;
    }
}

RankProcesses::~RankProcesses() {
    end();
}

// Checked before the first fork: thousands of ranks that fail half-way take seconds to end.
void RankProcesses::require_room(int ranks) const {
    const auto refuse = [&](std::int64_t needed, const char* what, std::int64_t left, const char* where) {
        throw MachineLimit(
            fmt::format("{} ranks need {} {}, and {} are left (see {})", ranks, needed, what, left, where));
    };
    const auto files = static_cast<std::int64_t>(files_.left());
    if (const std::int64_t needed = 2 * std::int64_t{ranks} + static_cast<std::int64_t>(files_beside); needed > files) {
        refuse(needed, "open files", files, "ulimit -Hn");
    }
    if (ranks <= few_ranks) {
        return;
    }
    const ProcessLimit limit = process_limit();
    if (const std::int64_t left = limit.most.value_or(INT64_MAX) - limit.in_use; ranks > left) {
        refuse(ranks, "processes", std::max<std::int64_t>(left, 0), "ulimit -u, or the pids limit of the container");
    }
    if (const std::int64_t left = available_memory(); ranks * bytes_of_rank > left) {
        refuse(ranks * bytes_of_rank / 1'000'000, "MB of memory", left / 1'000'000, "ulimit -v, or the container's");
    }
}

void RankProcesses::end() {
    if (running_ > 0) {
        kill_all();
        reap_all(std::chrono::seconds(5));
    }
}

// Memory that all ranks see: the supervisor's word, which they can only read, and the flags, which are hints.
void RankProcesses::share_words(int ranks) {
    constexpr std::size_t bytes_of_word = sizeof(SupervisorMemory);
    const std::size_t bytes_of_flags = Flags::bytes_for(ranks);
    word_ = memory_of(bytes_of_word);
    const Descriptor flags = memory_of(bytes_of_flags);
    if (word_ && flags) {
        word_of_supervisor_ = map_memory(word_, bytes_of_word, Access::write);
        seal(word_, Writers::those_mapped);
        seal(flags, Writers::all);
        word_for_ranks_ = map_memory(word_, bytes_of_word, Access::read);
        flag_words_ = map_memory(flags, bytes_of_flags, Access::write);
    }
    if (!is_mapped(word_of_supervisor_) || !is_mapped(word_for_ranks_) || !is_mapped(flag_words_)) {
        throw MachineLimit(fmt::format("cannot share memory with {} ranks: {}", ranks, reason()));
    }
    madvise(word_of_supervisor_.get_address(), bytes_of_word, MADV_DONTFORK);
    flags_.emplace(object_in<std::byte>(flag_words_), ranks);
}

void RankProcesses::fork_all(const LaunchOptions& options, const Program& program, SignalsBlocked& blocked) {
    flush_output();  // otherwise every child would write it again
    const int parent = static_cast<int>(getpid());
    for (int rank = 0; rank < options.ranks; ++rank) {
        if (!options.runs(rank)) {
            continue;
        }
        const int pid = fork_one(rank, options);
        if (pid == 0) {
            setpgid(0, group_);
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent) {
                _exit(1);  // the supervisor died before the line above
            }
            reset_signal_handlers();
            descendants_.mark_own();
            files_.put_back();
            weigh_less(options.count_of_running());
            blocked.unblock();
            be_rank(rank, options, program);
        }
        // Both sides set the group, so that neither has to wait for the other.
        if (group_ == 0) {
            group_ = pid;
        }
        setpgid(pid, group_);
        lines_.close_end_of_rank(rank);
        const auto index = static_cast<std::size_t>(rank);
        pids_[index] = pid;
        ended_[index] = false;
        rank_of_.emplace(pid, index);
        ++running_;
    }
}

// Creates its memory and line just before the fork, so that earlier ranks never have them.
int RankProcesses::fork_one(int rank, const LaunchOptions& options) {
    const auto refuse = [&](const char* what) {
        throw MachineLimit(fmt::format("cannot {} rank {} of {}: {}", what, rank, options.ranks, reason()));
    };
    Descriptor& memory = unmapped_[static_cast<std::size_t>(rank)];
    memory = memory_of(sizeof(RankMemory));
    if (!memory || !seal(memory, Writers::all)) {
        refuse("share memory with");
    }
    lines_.open(rank);
    const int pid = static_cast<int>(fork());
    if (pid < 0) {
        refuse("start");
    }
    return pid;
}

// Done only now: ranks would inherit earlier mappings, and copying those costs more than forking.
void RankProcesses::map_memories() {
    for (const auto& [pid, rank] : rank_of_) {
        // Pages come zeroed: every position starts at 0 without being touched.
        memories_[rank] = map_memory(unmapped_[rank], sizeof(RankMemory), Access::write);
        if (!is_mapped(memories_[rank])) {
            throw MachineLimit(fmt::format("cannot share {} MB with {} ranks: {}",
                                           rank_of_.size() * sizeof(RankMemory) / 1'000'000, rank_of_.size(),
                                           reason()));
        }
    }
    unmapped_.clear();
}

// A rank can access its own memory, the flags, which are hints, and, read-only, the supervisor's word and memory that
// others have lent it. It has nothing else, neither mapped nor as a descriptor, so it cannot disturb another rank.
Mapping RankProcesses::own_memory(int rank) {
    Mapping own = map_memory(unmapped_[static_cast<std::size_t>(rank)], sizeof(RankMemory), Access::write);
    if (!is_mapped(own)) {
        _exit(exit_code::machine_limit);
    }
    return own;
}

void RankProcesses::forget_others() {
    std::vector<int> inherited = lines_.ends_of_supervisor();
    inherited.push_back(word_.number());
    for (const Descriptor& memory : unmapped_) {
        if (memory) {
            inherited.push_back(memory.number());
        }
    }
    close_all(inherited);
}

void RankProcesses::be_rank(int rank, const LaunchOptions& options, const Program& program) {
    const Mapping mapping = own_memory(rank);
    RankMemory& own = *object_in<RankMemory>(mapping);
    int status = 1;
    try {
        forget_others();
        // It must not run ahead of the time at which it is killed or stopped, nor be gone already.
        const bool is_interrupted =
            faults::Conditions(options.faults, options.ranks, options.cluster.network).interrupt(rank);
        ProcessPort port(own, *object_in<const SupervisorMemory>(word_for_ranks_), *flags_,
                         LineEnd(lines_.end_of_rank(rank)),
                         {.rank = rank,
                          .ranks = options.ranks,
                          .arena_bytes = arenas_.places().bytes_each(),
                          .looks_before_sleep = looks_before_sleep(options.count_of_running(), cores()),
                          .answer_every_op = options.clock == Clock::wall || is_interrupted});
        run_as_rank(options, port, program);
        flush_output();  // before the run can end
        port.finish();
        status = 0;
    } catch (const std::bad_alloc& error) {
        own.lack.store(Lack::memory, std::memory_order_relaxed);
        leave_last_words(own, error.what());
    } catch (const RankArenas::Refused& error) {
        own.lack.store(Lack::as_said, std::memory_order_relaxed);
        leave_last_words(own, error.what());
    } catch (const std::exception& error) {
        leave_last_words(own, error.what());
    } catch (...) {
        leave_last_words(own, "something that is not a std::exception");
    }
    flush_output();
    _exit(status);
}

void RankProcesses::hear_lines() {
    lines_.hear([this](int rank, int descriptor) { arenas_.given(rank, descriptor); });
}

void RankProcesses::note_end(std::size_t rank, const rusage& used) {
    constexpr std::int64_t kibibyte = 1024;  // Linux counts it in KiB
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
    // The whole group with each call: the cost is that of the changes, not of the ranks.
    for (int pid = 0; (pid = static_cast<int>(wait4(-group_, &status, all_kinds, &used))) > 0;) {
        if (const auto rank = rank_of_.find(pid); rank != rank_of_.end()) {  // otherwise a rank has started it
            note(rank->second, status);
        }
    }
    for (std::size_t rank = 0; look == Look::at_each && rank < pids_.size(); ++rank) {
        if (!ended_[rank] && wait4(pids_[rank], &status, all_kinds, &used) > 0) {
            note(rank, status);
        }
    }
    if (look == Look::at_each) {
        descendants_.reap_ended([this](int pid) { return rank_of_.contains(pid); });
    }
    return found;
}

void RankProcesses::signal(int rank, int number) {
    ::kill(pids_[static_cast<std::size_t>(rank)], number);
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
            ::kill(pids_[rank], SIGKILL);  // it may have left the group; until it is reaped, its pid is valid
        }
    }
}

bool RankProcesses::reap_all(std::chrono::milliseconds for_the_next) {
    auto end = std::chrono::steady_clock::now() + for_the_next;
    while (running_ > 0 && std::chrono::steady_clock::now() < end) {
        const int before = running_;
        changes(Look::at_each);
        if (running_ < before) {
            end = std::chrono::steady_clock::now() + for_the_next;
        } else {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }
    return running_ == 0 && descendants_.end_all(for_the_next);
}

}  // namespace sim::ranks
