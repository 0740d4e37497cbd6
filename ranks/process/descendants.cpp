#include "ranks/process/descendants.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

namespace sim::ranks {

namespace {

// The ids of a process in /proc, in each of its namespaces, from the outermost that /proc shows.
std::vector<int> pids_by_namespace(const std::string& process) {
    std::ifstream status("/proc/" + process + "/status");
    std::vector<int> pids;
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("NSpid:")) {
            std::istringstream numbers(line.substr(line.find(':') + 1));
            for (int pid = 0; numbers >> pid;) {
                pids.push_back(pid);
            }
            break;
        }
    }
    return pids;
}

// Ascending. /proc may be that of an outer namespace, where processes have other ids than here. Empty if /proc does not
// say.
std::vector<int> children() {
    std::error_code none;
    const std::string self = std::filesystem::read_symlink("/proc/self", none).string();
    const bool is_outer = self != std::to_string(getpid());
    const std::size_t depth = is_outer ? pids_by_namespace("self").size() : 0;
    std::vector<int> found;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
        std::ifstream list(task.path() / "children");
        for (int child = 0; list >> child;) {
            const std::vector<int> pids = is_outer ? pids_by_namespace(std::to_string(child)) : std::vector{child};
            if (pids.size() >= std::max<std::size_t>(depth, 1)) {
                found.push_back(is_outer ? pids[depth - 1] : child);
            }
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

bool contains(const std::vector<int>& ascending, int pid) {
    return std::binary_search(ascending.begin(), ascending.end(), pid);
}

rlimit mark_below(const rlimit& limit) {
    constexpr rlim_t deepest = 1'000'000;  // this many runs may nest as ranks of each other
    const rlim_t below = limit.rlim_max == RLIM_INFINITY ? deepest : limit.rlim_max > 0 ? limit.rlim_max - 1 : 0;
    return {.rlim_cur = below, .rlim_max = below};
}

}  // namespace

Descendants::Descendants() : other_before_(children()) {
    getrlimit(RLIMIT_LOCKS, &own_);
    prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Descendants::~Descendants() {
    prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_);
}

void Descendants::mark_own() const {
    const rlimit mark = mark_below(own_);
    setrlimit(RLIMIT_LOCKS, &mark);
}

bool Descendants::is_marked(int pid) const {
    rlimit found{};
    // Children of the launcher's program from before the run may have a lower limit for reasons of their own.
    return prlimit(pid, RLIMIT_LOCKS, nullptr, &found) == 0 && found.rlim_max < own_.rlim_max &&
           !contains(other_before_, pid);
}

std::vector<int> Descendants::orphans() const {
    std::vector<int> found = children();
    std::erase_if(found, [this](int pid) { return !is_marked(pid); });
    return found;
}

void Descendants::reap_ended(const std::function<bool(int pid)>& is_rank) const {
    for (const int pid : children()) {
        if (!is_rank(pid) && is_marked(pid)) {
            waitpid(pid, nullptr, WNOHANG);
        }
    }
}

bool Descendants::end_all(std::chrono::milliseconds at_most) const {
    const auto end = std::chrono::steady_clock::now() + at_most;
    // A process that ends leaves its own children to us: this handles one generation after another.
    for (std::vector<int> left = orphans(); !left.empty(); left = orphans()) {
        for (const int pid : left) {
            kill(pid, SIGKILL);
        }
        for (const int pid : left) {
            while (waitpid(pid, nullptr, WNOHANG) == 0) {
                if (std::chrono::steady_clock::now() > end) {
                    return false;
                }
                std::this_thread::sleep_for(std::chrono::microseconds(50));
            }
        }
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
    }
    return true;
}

}  // namespace sim::ranks
