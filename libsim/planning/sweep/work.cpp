#include "libsim/planning/sweep/work.hpp"

#include <exception>
#include <mutex>
#include <thread>

namespace sim::scenarios {

void over_cores(Queue& queue, unsigned threads, const RowMaker& make, const RowTaker& take) {
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        for (auto numbers = queue.take(1); !numbers.empty(); numbers = queue.take(1)) {
            try {
                std::string row = make(numbers.front());
                const std::lock_guard lock(mutex);
                if (!take(numbers.front(), std::move(row))) {
                    queue.stop();
                }
            } catch (...) {
                const std::lock_guard lock(mutex);
                failure = std::current_exception();
                queue.stop();
            }
        }
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) {
        others.emplace_back(work);
    }
    work();
    for (std::thread& other : others) {
        other.join();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace sim::scenarios
