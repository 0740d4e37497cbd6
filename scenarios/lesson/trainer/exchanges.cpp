#include "scenarios/lesson/trainer/exchanges.hpp"

#include "libsim/parallel/context_parallel.hpp"
#include "libsim/parallel/expert_parallel.hpp"
#include "libsim/parallel/tensor_parallel.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace sim::scenarios {

namespace {

using training::Matrix;

std::span<double> numbers_of(Matrix& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

std::span<const double> numbers_of(const Matrix& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

std::vector<double> copy_of(const Matrix& x) {
    return {x.data(), x.data() + x.size()};
}

Matrix matrix_of(std::span<const double> numbers, Eigen::Index columns) {
    Matrix x(columns == 0 ? 0 : static_cast<Eigen::Index>(numbers.size()) / columns, columns);
    std::copy(numbers.begin(), numbers.end(), x.data());
    return x;
}

// Among ranks that share a layer's width.
class TensorExchange {
public:
    TensorExchange(GPU& gpu, const Plan& plan, const training::Shape& shape, const Costs& costs, Meter& meter)
        : tensor_(gpu, plan.along({"tp"})),
          rows_(training::context_rows(shape, plan.chunks.front())),
          costs_(&costs),
          meter_(&meter) {}

    Matrix sum(Matrix x) const {
        meter_->settle();
        tensor_.sum(numbers_of(x), costs_->summed(static_cast<int>(x.rows() / rows_)));
        return x;
    }

    // Each rank's own rows of every item become all rows.
    Matrix gather(const Matrix& own) const {
        meter_->settle();
        return matrix_of(tensor_.gather_rows(numbers_of(own), all_rows(own.rows() * tensor_.parts(), own.cols())),
                         own.cols());
    }

    // Sums over the ranks, of which each gets its own rows.
    Matrix scatter(const Matrix& x) const {
        meter_->settle();
        return matrix_of(tensor_.scatter_rows(numbers_of(x), all_rows(x.rows(), x.cols())), x.cols());
    }

private:
    Activations all_rows(Eigen::Index rows, Eigen::Index columns) const {
        const Eigen::Index items = rows / rows_;
        return {.items = static_cast<std::size_t>(items),
                .rows = static_cast<std::size_t>(rows_),
                .columns = static_cast<std::size_t>(columns),
                .size = costs_->summed(static_cast<int>(items))};
    }

    TensorParallel tensor_;
    int rows_;  // of an item
    const Costs* costs_;
    Meter* meter_;
};

// To the next context part, from the one before.
class ContextExchange {
public:
    ContextExchange(GPU& gpu, const Plan& plan, const training::Shape& shape, const Costs& costs, Meter& meter)
        : gpu_(&gpu),
          group_(plan.along({"cp"})),
          rows_(training::context_rows(shape, plan.chunks.front())),
          costs_(&costs),
          meter_(&meter) {}

    Matrix rotate(const Matrix& x) const {
        meter_->settle();
        return matrix_of(sim::rotate(*gpu_, group_, copy_of(x), costs_->rotated(static_cast<int>(x.rows() / rows_))),
                         x.cols());
    }

private:
    GPU* gpu_;
    Group group_;
    int rows_;  // of an item
    const Costs* costs_;
    Meter* meter_;
};

// Any number of rows to each expert part.
class ExpertExchange {
public:
    ExpertExchange(GPU& gpu, const Plan& plan, const training::Shape& shape, const Costs& costs, Meter& meter)
        : experts_(gpu, plan.along({"ep"}), shape.experts), costs_(&costs), meter_(&meter) {}

    std::vector<Matrix> swap(const std::vector<Matrix>& parts, int items) const {
        meter_->settle();
        std::vector<std::vector<double>> numbers;
        std::transform(parts.begin(), parts.end(), std::back_inserter(numbers), copy_of);
        const Eigen::Index columns = parts.front().cols();
        std::vector<Matrix> came;
        for (const std::vector<double>& part : experts_.exchange(std::move(numbers), costs_->dispatched(items))) {
            came.push_back(matrix_of(part, columns));
        }
        return came;
    }

private:
    ExpertParallel experts_;
    const Costs* costs_;
    Meter* meter_;
};

}  // namespace

training::Surroundings exchanges_of(GPU& gpu, const Plan& plan, const training::Shape& shape, const Costs& costs,
                                    Meter& meter) {
    const training::Placement& placement = plan.chunks.front();
    training::Surroundings around;
    if (placement.tensor.of > 1) {
        const TensorExchange tensor(gpu, plan, shape, costs, meter);
        if (placement.sequence_parallel) {
            around.enter = around.leave_backward = [tensor](const Matrix& x) { return tensor.gather(x); };
            around.leave = around.enter_backward = [tensor](const Matrix& x) { return tensor.scatter(x); };
        } else {
            around.leave = around.enter_backward = [tensor](Matrix x) { return tensor.sum(std::move(x)); };
        }
    }
    if (placement.context.of > 1) {
        const ContextExchange context(gpu, plan, shape, costs, meter);
        around.rotate = [context](const Matrix& x) { return context.rotate(x); };
    }
    if (placement.experts.of > 1) {
        const ExpertExchange experts(gpu, plan, shape, costs, meter);
        const int items = plan.micro_batches.front().count;
        around.exchange = [experts, items](const std::vector<Matrix>& parts) { return experts.swap(parts, items); };
    }
    return around;
}

}  // namespace sim::scenarios
