// Workers are the threads of a program, and the only place where threads are made. Ranks are not among them.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/for_each.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sim::command_line {

class Workers {
public:
    // 0: one per core.
    explicit Workers(int threads = 0);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    int threads() const { return threads_; }
    // Implements ForEach on these threads; the calling thread watches progress and stopping. Requires: one caller at a
    // time, and not from one of these threads.
    bool for_each(std::size_t count, const EachOptions& options, const std::function<void(std::size_t)>& work);
    // The same as a value, which must not outlive this object.
    ForEach executor();

private:
    struct Pool;
    int threads_;
    std::unique_ptr<Pool> pool_;
};

// --jobs N
config::OptionRow jobs_row(int& jobs);

// Rows to compute are distributed over the cores of this machine, and of others. May be called from any thread.
using RowMaker = std::function<std::string(std::size_t number)>;
// Calls never overlap, and come in the order in which rows are done. Return false to stop handing out rows.
using RowTaker = std::function<bool(std::size_t number, std::string row)>;

// Hands out numbers in order. Thread-safe.
class Queue {
public:
    explicit Queue(std::vector<std::size_t> numbers) : numbers_(std::move(numbers)) {}

    // Takes up to `count` numbers; empty: none is left.
    std::vector<std::size_t> take(std::size_t count) {
        const std::size_t first = next_.fetch_add(count);
        const std::size_t begin = std::min(first, numbers_.size());
        const std::size_t end = std::min(first + count, numbers_.size());
        return {numbers_.begin() + static_cast<std::ptrdiff_t>(begin),
                numbers_.begin() + static_cast<std::ptrdiff_t>(end)};
    }
    void stop() { next_ = numbers_.size(); }

private:
    std::vector<std::size_t> numbers_;
    std::atomic<std::size_t> next_{0};
};

// Processes the queue on all threads of `workers`. An exception of `make` stops all of them, and is rethrown here.
void over_cores(Queue& queue, Workers& workers, const RowMaker& make, const RowTaker& take);

}  // namespace sim::command_line
