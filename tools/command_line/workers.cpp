#include "tools/command_line/workers.hpp"

#include <fmt/format.h>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace sim::command_line {

using namespace config;

namespace {

constexpr auto between_reports = std::chrono::milliseconds(50);

// One call of for_each(), shared by the threads.
class Round {
public:
    Round(std::size_t count, const EachOptions& options, const std::function<void(std::size_t)>& work)
        : count_(count), block_(std::max<std::size_t>(options.block, 1)), options_(options), work_(work) {}

    bool run(boost::asio::io_context& queue, int threads) {
        running_ = std::min(static_cast<std::size_t>(threads), (count_ + block_ - 1) / block_);
        for (std::size_t i = running_; i > 0; --i) {
            try {
                boost::asio::post(queue, [this] { take_blocks(); });
            } catch (...) {
                give_up(i, std::current_exception());
                break;
            }
        }
        wait();
        if (error_) {
            std::rethrow_exception(error_);
        }
        return done_ == count_;
    }

private:
    // These threads will never begin; those that have begun must not outlive this.
    void give_up(std::size_t threads, std::exception_ptr error) {
        const std::lock_guard lock(mutex_);
        running_ -= threads;
        error_ = std::move(error);
        error_at_ = 0;
        stop_ = true;
    }

    void take_blocks() {
        while (!stop_) {
            const std::size_t begin = next_.fetch_add(block_);
            if (begin >= count_) {
                break;
            }
            do_block(begin, std::min(begin + block_, count_));
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

    // Waits until no thread works on it. The last progress report is the final count.
    void wait() {
        std::unique_lock lock(mutex_);
        bool ended = false;
        while (!ended) {
            changed_.wait_for(lock, between_reports, [this] { return running_ == 0; });
            ended = running_ == 0;
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
    std::size_t block_;
    const EachOptions& options_;
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

// boost::asio::thread_pool waits forever if only some of its threads can be started.
struct Workers::Pool {
    explicit Pool(int count) {
        try {
            while (std::ssize(threads) < count) {
                threads.emplace_back([this] { queue.run(); });
            }
        } catch (const std::system_error& error) {
            end();
            throw std::system_error(error.code(), fmt::format("cannot start thread {} of {}", threads.size(), count));
        } catch (...) {
            end();
            throw;
        }
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool() { end(); }

    void end() {
        open.reset();
        for (std::thread& thread : threads) {
            thread.join();
        }
    }

    boost::asio::io_context queue;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> open{queue.get_executor()};
    std::vector<std::thread> threads;
};

Workers::Workers(int threads)
    : threads_(threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))),
      pool_(std::make_unique<Pool>(threads_)) {}

Workers::~Workers() = default;

bool Workers::for_each(std::size_t count, const EachOptions& options, const std::function<void(std::size_t)>& work) {
    return Round(count, options, work).run(pool_->queue, threads_);
}

ForEach Workers::executor() {
    return [this](std::size_t count, const EachOptions& options, const std::function<void(std::size_t)>& work) {
        return for_each(count, options, work);
    };
}

OptionRow jobs_row(int& jobs) {
    return keeping_result({.name = "jobs",
                           .takes = "N",
                           .help = "worker threads (0: one per core); does not change the result",
                           .kind = whole(jobs, 0, 4096),
                           .group = GroupName::general});
}

void over_cores(Queue& queue, Workers& workers, const RowMaker& make, const RowTaker& take) {
    std::mutex mutex;
    workers.for_each(static_cast<std::size_t>(workers.threads()), {}, [&](std::size_t) {
        for (auto numbers = queue.take(1); !numbers.empty(); numbers = queue.take(1)) {
            try {
                std::string row = make(numbers.front());
                const std::lock_guard lock(mutex);
                if (!take(numbers.front(), std::move(row))) {
                    queue.stop();
                }
            } catch (...) {
                queue.stop();
                throw;
            }
        }
    });
}

}  // namespace sim::command_line
