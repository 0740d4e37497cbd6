// Ranks as threads that really exchange matrices: the surroundings of a stage in a test.
//
// Messages between two ranks arrive in order. Sums are in the order of the group's members, so that all members get the
// same bits. A rank that throws ends the others, and run() rethrows its exception.
#pragma once

#include "scenarios/lesson/transformer/batch.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace sim::test {

using lesson::Matrix;

// The inverse of split_rows(): all parts in order, each with this number of rows of every item.
inline Matrix join_rows(const std::vector<Matrix>& parts, int rows_per_item_of_each_part) {
    const Eigen::Index rows = rows_per_item_of_each_part;
    const Eigen::Index items = parts.front().rows() / rows;
    const Eigen::Index of = static_cast<Eigen::Index>(parts.size());
    Matrix result(items * rows * of, parts.front().cols());
    for (Eigen::Index item = 0; item < items; ++item) {
        for (Eigen::Index index = 0; index < of; ++index) {
            result.middleRows((item * of + index) * rows, rows) =
                parts[static_cast<std::size_t>(index)].middleRows(item * rows, rows);
        }
    }
    return result;
}

class Team {
public:
    void send(int from, int to, Matrix matrix) {
        const std::lock_guard lock(mutex_);
        mail_[{from, to}].push_back(std::move(matrix));
        arrived_.notify_all();
    }

    Matrix receive(int from, int to) {
        std::unique_lock lock(mutex_);
        std::deque<Matrix>& mail = mail_[{from, to}];
        arrived_.wait(lock, [&] { return !mail.empty() || failed_; });
        if (mail.empty()) {
            throw std::runtime_error("another rank has failed");
        }
        Matrix matrix = std::move(mail.front());
        mail.pop_front();
        return matrix;
    }

    void run(int ranks, const std::function<void(int)>& program) {
        std::vector<std::thread> threads;
        for (int rank = 0; rank < ranks; ++rank) {
            threads.emplace_back([&, rank] {
                try {
                    program(rank);
                } catch (...) {
                    const std::lock_guard lock(mutex_);
                    failed_ = failed_ ? failed_ : std::current_exception();
                    arrived_.notify_all();
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        if (failed_) {
            std::rethrow_exception(failed_);
        }
    }

    // Whether every message sent has been received.
    bool all_received() const {
        for (const auto& [ends, mail] : mail_) {
            if (!mail.empty()) {
                return false;
            }
        }
        return true;
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::map<std::pair<int, int>, std::deque<Matrix>> mail_;
    std::exception_ptr failed_;
};

// A group of a team's ranks, as seen by the member at `position` in `ranks`.
struct TeamGroup {
    Team* team = nullptr;
    std::vector<int> ranks;
    std::size_t position = 0;

    // Sends the i-th matrix to the i-th member; returns the matrix that each sends to this one.
    std::vector<Matrix> exchange(std::vector<Matrix> matrices) const {
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            team->send(ranks[position], ranks[i], std::move(matrices[i]));
        }
        std::vector<Matrix> received;
        for (const int from : ranks) {
            received.push_back(team->receive(from, ranks[position]));
        }
        return received;
    }

    std::vector<Matrix> all(const Matrix& matrix) const { return exchange(std::vector<Matrix>(ranks.size(), matrix)); }

    Matrix sum(const Matrix& matrix) const {
        Matrix sum = Matrix::Zero(matrix.rows(), matrix.cols());
        for (const Matrix& summand : all(matrix)) {
            sum += summand;
        }
        return sum;
    }

    // Gathers the parts, `rows` rows of each item, to all rows of each item; scattered_sum() sums and splits them
    // again.
    Matrix gathered(const Matrix& part, int rows) const { return join_rows(all(part), rows); }
    Matrix scattered_sum(const Matrix& all_rows, int rows) const {
        const int of = static_cast<int>(ranks.size());
        return lesson::split_rows(sum(all_rows), {.index = static_cast<int>(position), .of = of}, rows * of);
    }

    Matrix rotated(Matrix matrix) const {
        const std::size_t n = ranks.size();
        team->send(ranks[position], ranks[(position + 1) % n], std::move(matrix));
        return team->receive(ranks[(position + n - 1) % n], ranks[position]);
    }
};

}  // namespace sim::test
