#include "libsim/planning/search/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace sim::scenarios {

namespace {

constexpr auto between_reports = std::chrono::milliseconds(50);

class Workers {
public:
    Workers(std::size_t count, const InParallel& options, const std::function<void(std::size_t)>& work)
        : count_(count), options_(options), work_(work) {}

    bool run() && {
        const std::size_t blocks = (count_ + options_.block - 1) / options_.block;
        running_ = std::min(static_cast<std::size_t>(std::max(1, options_.jobs)), blocks);
        std::vector<std::thread> threads;
        for (std::size_t i = running_; i > 0; --i) {
            threads.emplace_back([this] { take_blocks(); });
        }
        wait();
        for (std::thread& thread : threads) {
            thread.join();
        }
        if (error_) {
            std::rethrow_exception(error_);
        }
        return done_ == count_;
    }

private:
    void take_blocks() {
        while (!stop_) {
            const std::size_t begin = next_.fetch_add(options_.block);
            if (begin >= count_) {
                break;
            }
            do_block(begin, std::min(begin + options_.block, count_));
        }
        const std::lock_guard lock(mutex_);
        --running_;
        changed_.notify_one();
    }

    void do_block(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            try {
                work_(i);
            } catch (...) {
                const std::lock_guard lock(mutex_);
                if (!error_ || i < error_at_) {
                    error_ = std::current_exception();
                    error_at_ = i;
                }
                stop_ = true;
                return;
            }
            ++done_;
        }
    }

    // Until all threads have ended.
    void wait() {
        std::unique_lock lock(mutex_);
        while (running_ > 0) {
            changed_.wait_for(lock, between_reports);
            lock.unlock();
            if (options_.on_progress) {
                options_.on_progress(done_);
            }
            if (options_.should_stop && options_.should_stop()) {
                stop_ = true;
            }
            lock.lock();
        }
    }

    std::size_t count_;
    const InParallel& options_;
    const std::function<void(std::size_t)>& work_;
    std::atomic<std::size_t> next_ = 0;
    std::atomic<std::size_t> done_ = 0;
    std::atomic<bool> stop_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t running_ = 0;
    std::exception_ptr error_;
    std::size_t error_at_ = 0;
};

}  // namespace

bool for_each_number(std::size_t count, const InParallel& options, const std::function<void(std::size_t)>& work) {
    return Workers(count, options, work).run();
}

}  // namespace sim::scenarios
