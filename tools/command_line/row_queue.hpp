// A row queue distributes rows to compute over the cores of this machine, and of others.
#pragma once

#include "tools/command_line/workers.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace sim::command_line {

// May be called from any thread.
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
