#include "ranks/fiber/deaf_watch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace sim::ranks {

namespace {

// Whether the thread blocks the signal. Must not allocate: the thread may be in the middle of an allocation.
bool blocks(int thread, int signal) {
    std::array<char, 64> name{};
    fmt::format_to_n(name.data(), name.size() - 1, "/proc/self/task/{}/status", thread);
    const int file = open(name.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    std::array<char, 4096> text{};
    const ssize_t got = read(file, text.data(), text.size() - 1);
    close(file);
    constexpr std::string_view key = "\nSigBlk:\t";
    const std::string_view status(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    const std::size_t at = status.find(key);
    return at != std::string_view::npos &&
           ((std::strtoull(text.data() + at + key.size(), nullptr, 16) >> static_cast<unsigned>(signal - 1)) & 1U) != 0;
}

// Signals must go to the thread that runs the ranks.
class AllSignalsBlocked {
public:
    AllSignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    AllSignalsBlocked(const AllSignalsBlocked&) = delete;
    AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

private:
    sigset_t before_{};
};

}  // namespace

DeafWatch::DeafWatch(const BreakOut& break_out, const SuddenEnds& ends, std::chrono::milliseconds watchdog)
    : break_out_(&break_out), ends_(&ends), watchdog_(watchdog) {
    if (break_out.looks_before_leaving() == 0) {
        return;
    }
    const AllSignalsBlocked here;
    const auto thread_of_ranks = static_cast<int>(syscall(SYS_gettid));
    try {
        thread_ = std::thread([this, thread_of_ranks] { watch(thread_of_ranks); });
    } catch (const std::system_error&) {
        // No thread can be created: the run goes on, but ranks that block signals go unnoticed.
    }
}

DeafWatch::~DeafWatch() {
    if (thread_.joinable()) {
        {
            const std::lock_guard lock(mutex_);
            is_over_ = true;
        }
        over_.notify_one();
        thread_.join();
    }
}

void DeafWatch::watch(int thread_of_ranks) {
    std::unique_lock lock(mutex_);
    std::uint64_t turn = 0;
    int looks = 0;
    while (!over_.wait_for(lock, break_out_->between_looks(), [&] { return is_over_; })) {
        const std::uint64_t now = break_out_->turn();
        // One turn that lasts through all looks; BreakOut would have ended it if its signal had got through.
        looks = now == turn && break_out_->is_in_rank() ? looks + 1 : 0;
        turn = now;
        if (looks > break_out_->looks_before_leaving() && blocks(thread_of_ranks, BreakOut::signal())) {
            ends_->end_for_silence(watchdog_);
        }
    }
}

}  // namespace sim::ranks
