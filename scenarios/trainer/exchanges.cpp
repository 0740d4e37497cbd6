#include "scenarios/trainer/exchanges.hpp"

#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/all_to_all.hpp"
#include "libsim/collectives/reduce_scatter.hpp"
#include "scenarios/training/transformer/rows.hpp"

#include <algorithm>
#include <span>

namespace sim::scenarios {

namespace {

using training::Matrix;

std::span<double> numbers_of(Matrix& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

Matrix matrix_of(std::span<const double> numbers, Eigen::Index columns) {
    Matrix x(columns == 0 ? 0 : static_cast<Eigen::Index>(numbers.size()) / columns, columns);
    std::copy(numbers.begin(), numbers.end(), x.data());
    return x;
}

// The exchanges within one group of ranks that share a layer's width.
class TensorExchange {
public:
    TensorExchange(GPU& gpu, const Plan& plan, const training::Shape& shape, const Costs& costs, Meter& meter)
        : gpu_(&gpu),
          group_(plan.along({"tp"})),
          part_(plan.chunks.front().tensor),
          rows_(training::context_rows(shape, plan.chunks.front())),
          costs_(&costs),
          meter_(&meter) {}

    Matrix sum(Matrix x) const {
        meter_->settle();
        all_reduce(*gpu_, group_, numbers_of(x), cost(x.rows() / rows_));
        return x;
    }

    // Each rank's own rows of every item become all rows.
    Matrix gather(const Matrix& x) const {
        meter_->settle();
        const auto each = static_cast<std::size_t>(x.size());
        std::vector<double> all(each * static_cast<std::size_t>(part_.of));
        std::copy_n(x.data(), each, all.data() + each * static_cast<std::size_t>(part_.index));
        all_gather(*gpu_, group_, all, cost(x.rows() / own_rows()));
        std::vector<Matrix> parts;
        for (int i = 0; i < part_.of; ++i) {
            parts.push_back(matrix_of(std::span(all).subspan(each * static_cast<std::size_t>(i), each), x.cols()));
        }
        return training::join_rows(parts, own_rows());
    }

    // Sums over the ranks, of which each gets its own rows.
    Matrix scatter(const Matrix& x) const {
        meter_->settle();
        std::vector<double> parts;
        parts.reserve(static_cast<std::size_t>(x.size()));
        for (int i = 0; i < part_.of; ++i) {
            const Matrix rows = training::split_rows(x, {i, part_.of}, rows_);
            parts.insert(parts.end(), rows.data(), rows.data() + rows.size());
        }
        return matrix_of(reduce_scatter(*gpu_, group_, parts, cost(x.rows() / rows_)), x.cols());
    }

private:
    int own_rows() const { return rows_ / part_.of; }
    Units cost(Eigen::Index items) const { return costs_->summed(static_cast<int>(items)); }

    GPU* gpu_;
    Group group_;
    training::Part part_;
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

    Matrix rotate(Matrix x) const {
        meter_->settle();
        const Size size = costs_->rotated(static_cast<int>(x.rows() / rows_));
        const Handle sent = gpu_->send_async(group_.right_of(gpu_->rank()), numbers_of(x), "ring attention", size);
        Matrix came(x.rows(), x.cols());
        gpu_->receive(group_.left_of(gpu_->rank()), numbers_of(came), "ring attention", size);
        gpu_->wait(sent);
        return came;
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
    ExpertExchange(GPU& gpu, const Plan& plan, const Costs& costs, Meter& meter)
        : gpu_(&gpu), group_(plan.along({"ep"})), costs_(&costs), meter_(&meter) {}

    std::vector<Matrix> swap(const std::vector<Matrix>& parts, int items) const {
        meter_->settle();
        std::vector<std::vector<double>> numbers;
        for (const Matrix& part : parts) {
            numbers.emplace_back(part.data(), part.data() + part.size());
        }
        const Eigen::Index columns = parts.front().cols();
        std::vector<Matrix> came;
        for (const std::vector<double>& part :
             all_to_all_v(*gpu_, group_, std::move(numbers), costs_->dispatched(items))) {
            came.push_back(matrix_of(part, columns));
        }
        return came;
    }

private:
    GPU* gpu_;
    Group group_;
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
            around.enter = around.leave_backward = [tensor](Matrix x) { return tensor.gather(x); };
            around.leave = around.enter_backward = [tensor](Matrix x) { return tensor.scatter(x); };
        } else {
            around.leave = around.enter_backward = [tensor](Matrix x) { return tensor.sum(std::move(x)); };
        }
    }
    if (placement.context.of > 1) {
        const ContextExchange context(gpu, plan, shape, costs, meter);
        around.rotate = [context](Matrix x) { return context.rotate(std::move(x)); };
    }
    if (placement.experts.of > 1) {
        const ExpertExchange experts(gpu, plan, costs, meter);
        const int items = plan.micro_batches.front().count;
        around.exchange = [experts, items](const std::vector<Matrix>& parts) { return experts.swap(parts, items); };
    }
    return around;
}

}  // namespace sim::scenarios
