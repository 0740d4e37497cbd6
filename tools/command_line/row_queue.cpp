#include "tools/command_line/row_queue.hpp"

#include <mutex>

namespace sim::command_line {

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
