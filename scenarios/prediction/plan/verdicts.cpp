#include "scenarios/prediction/plan/verdicts.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace sim::scenarios {

namespace {

constexpr std::size_t block = 16;  // points that a thread takes at a time
constexpr auto between_reports = std::chrono::milliseconds(50);

// Blocks are handed out in order, and one that was taken is finished: so the first point that fails is always reached.
class Workers {
public:
    Workers(const PlanQuestion& question, const std::vector<PlanPoint>& points, const PlanOptions& options)
        : question_(question), points_(points), options_(options), verdicts_(points.size()) {}

    std::vector<PlanVerdict> run() && {
        const auto jobs = static_cast<std::size_t>(std::max(1, options_.jobs));
        running_ = std::min(jobs, std::max<std::size_t>(1, (points_.size() + block - 1) / block));
        std::vector<std::thread> threads;
        for (std::size_t i = running_; i > 0; --i) {
            threads.emplace_back([this] { work(); });
        }
        wait();
        for (std::thread& thread : threads) {
            thread.join();
        }
        if (error_) {
            std::rethrow_exception(error_);
        }
        return std::move(verdicts_);
    }

private:
    void work() {
        while (!stop_) {
            const std::size_t begin = next_.fetch_add(block);
            if (begin >= points_.size()) {
                break;
            }
            answer(begin, std::min(begin + block, points_.size()));
        }
        const std::lock_guard lock(mutex_);
        --running_;
        changed_.notify_one();
    }

    void answer(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            try {
                verdicts_[i] = verdict_of(question_, points_[i], options_.oracle);
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
                options_.on_progress(done_, points_.size());
            }
            if (options_.should_stop && options_.should_stop()) {
                stop_ = true;
            }
            lock.lock();
        }
    }

    const PlanQuestion& question_;
    const std::vector<PlanPoint>& points_;
    const PlanOptions& options_;
    std::vector<PlanVerdict> verdicts_;
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

PlanVerdict verdict_of(const PlanQuestion& question, const PlanPoint& point, const PlanOracle& oracle) {
    using Kind = PlanVerdict::Kind;
    const model::Layout layout = layout_of(question.space, question.model, point);
    model::Misfit misfit{};
    if (!model::is_possible(question.model, question.machine, layout, &misfit)) {
        return {.kind = Kind::refused, .misfit = misfit};
    }
    if (layout.ranks() != point.gpus) {
        return {.kind = Kind::refused, .misfit = model::Misfit::gpus};
    }
    const std::int64_t capacity = question.machine.gpu.memory_bytes;
    const std::int64_t least = oracle.least_memory(question, layout);
    if (least > capacity || !oracle.step) {
        return {.kind = least > capacity ? Kind::too_large_at_least : Kind::feasible, .answer = {.memory = least}};
    }
    const PlanOracle::Answer answer = oracle.step(question, layout);
    return {.kind = answer.memory > capacity ? Kind::too_large : Kind::feasible, .answer = answer};
}

std::vector<PlanVerdict> verdicts_of(const PlanQuestion& question, const std::vector<PlanPoint>& points,
                                     const PlanOptions& options) {
    return Workers(question, points, options).run();
}

}  // namespace sim::scenarios
