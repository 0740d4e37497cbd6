// The model's parts exchange data with the parts on other ranks as messages of the simulated GPU.
//
//   tensor parallel     sums of the ranks' results (all-reduce), or with sequence parallelism gathered and
//                       scattered rows (all-gather, reduce-scatter): twice per layer in each direction
//   context parallel    keys and values go around the ring of cp ranks
//   expert parallel     tokens to the ranks of their experts and back (all-to-all)
#include "scenarios/lesson/trainer/chunk.hpp"

#include "libsim/parallel/context_parallel.hpp"
#include "libsim/parallel/expert_parallel.hpp"
#include "libsim/parallel/tensor_parallel.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace sim::lesson {

namespace {

using lesson::Matrix;
using Numbers = std::vector<double>;

// Exchanges among ranks that share a layer's width.
class TensorExchange {
public:
    using Operator = Numbers (TensorParallel::*)(Numbers, const Activations&) const;

    TensorExchange(GPU& gpu, const RankPlan& plan, const Shape& shape, const Costs& costs, Meter& meter)
        : tensor_(gpu, plan.along({"tp"}), {.sequence_parallel = plan.chunks.front().sequence_parallel}),
          rows_(context_rows(shape, plan.chunks.front())),
          costs_(&costs),
          meter_(&meter) {}

    // One call takes all rows of every item, the other each rank's own.
    std::function<Matrix(Matrix)> of_all_rows(Operator apply) const {
        return [*this, apply](const Matrix& x) { return applied(apply, x, x.rows()); };
    }
    std::function<Matrix(Matrix)> of_own_rows(Operator apply) const {
        return [*this, apply](const Matrix& x) { return applied(apply, x, x.rows() * tensor_.parts()); };
    }

private:
    Matrix applied(Operator apply, const Matrix& x, Eigen::Index all_rows) const {
        meter_->settle();
        const Eigen::Index items = all_rows / rows_;
        const Activations whole{.items = static_cast<std::size_t>(items),
                                .rows = static_cast<std::size_t>(rows_),
                                .columns = static_cast<std::size_t>(x.cols()),
                                .size = costs_->summed(static_cast<int>(items))};
        return rows_of((tensor_.*apply)({x.data(), x.data() + x.size()}, whole), x.cols());
    }

    TensorParallel tensor_;
    int rows_;  // per item
    const Costs* costs_;
    Meter* meter_;
};

// Sends to the next context part, receives from the previous one: [K|V] of this rank's positions and heads, or their
// gradient.
std::function<Numbers(Numbers)> rotation(GPU& gpu, const RankPlan& plan, const Shape& shape, const Costs& costs,
                                         Meter& meter) {
    const PartPlacement& placement = plan.chunks.front();
    const int columns = 2 * shape.hidden / placement.tensor.of;
    const auto of_an_item = static_cast<std::size_t>(context_rows(shape, placement) * columns);
    return [&gpu, &costs, &meter, group = plan.along({"cp"}), of_an_item](Numbers x) {
        meter.settle();
        const Units size = costs.rotated(static_cast<int>(x.size() / of_an_item));
        return rotate(gpu, group, std::move(x), size);
    };
}

// Sends any number of rows to each expert part.
std::function<ExpertExchange::Parts(ExpertExchange::Parts)> expert_exchange(GPU& gpu, const RankPlan& plan,
                                                                            const Costs& costs, Meter& meter) {
    const Units size = costs.dispatched(plan.micro_batches.front().count);
    return [&meter, exchange = among_ranks(gpu, plan.along({"ep"}), size).exchange](ExpertExchange::Parts parts) {
        meter.settle();
        return exchange(std::move(parts));
    };
}

}  // namespace

Surroundings exchanges_of(GPU& gpu, const RankPlan& plan, const Shape& shape, const Costs& costs, Meter& meter) {
    const PartPlacement& placement = plan.chunks.front();
    Surroundings around;
    if (placement.tensor.of > 1) {
        const TensorExchange tensor(gpu, plan, shape, costs, meter);
        around.leave = tensor.of_all_rows(&TensorParallel::leave);
        around.enter_backward = tensor.of_all_rows(&TensorParallel::enter_backward);
        if (placement.sequence_parallel) {  // otherwise nothing is sent, and the arithmetic before and after is merged
            around.enter = tensor.of_own_rows(&TensorParallel::enter);
            around.leave_backward = tensor.of_own_rows(&TensorParallel::leave_backward);
        }
    }
    if (placement.context.of > 1) {
        around.rotate = rotation(gpu, plan, shape, costs, meter);
    }
    if (placement.experts.of > 1) {
        around.exchange = expert_exchange(gpu, plan, costs, meter);
    }
    return around;
}

}  // namespace sim::lesson
