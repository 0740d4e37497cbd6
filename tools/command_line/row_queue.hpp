// A row queue hands out rows to be computed to the cores of this machine, and of others.
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
// Never called twice at once; in the order in which rows are done. False: enough, hand out no more.
using RowTaker = std::function<bool(std::size_t number, std::string row)>;

// Numbers to be handed out, in order. Any thread may take.
class Queue {
public:
    explicit Queue(std::vector<std::size_t> numbers) : numbers_(std::move(numbers)) {}

    // Up to `count` of them; empty: none is left.
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

// Works the queue off by all threads of `workers`. What `make` throws in one of them ends all, and is thrown here.
void over_cores(Queue& queue, Workers& workers, const RowMaker& make, const RowTaker& take);

}  // namespace sim::command_line
