#include "libsim/training/step/update.hpp"

#include "libsim/training/memory/trained_part.hpp"
#include "libsim/training/operator_time.hpp"

#include <algorithm>

namespace sim::training {

namespace {

OperatorPrecision precision_of(const OptimizerRow& row) {
    return row.precision == Precision::fp32 ? OperatorPrecision::fp32 : OperatorPrecision::bf16;
}

double seconds_of(const OperatorTimes& times, const OptimizerRow& row, const MatrixShape& matrices) {
    double sum = 0;
    for (const MatrixShape& block : blocks_of(row, matrices)) {
        for (const MatrixProduct& product : row.products) {
            const Gemm gemm{block.side(product.rows), block.side(product.columns), block.side(product.inner)};
            sum += block.count * times_of(row, product, block) *
                   seconds(times.matrix_product(gemm, GemmKind::forward, precision_of(row)));
        }
    }
    return sum;
}

}  // namespace

MatrixWork& MatrixWork::operator+=(const MatrixWork& other) {
    matrices += other.matrices;
    numbers += other.numbers;
    further_states += other.further_states;
    seconds += other.seconds;
    return *this;
}

FrozenAndGathered& FrozenAndGathered::operator+=(const FrozenAndGathered& other) {
    frozen += other.frozen;
    frozen_dense_bytes += other.frozen_dense_bytes;
    frozen_expert_bytes += other.frozen_expert_bytes;
    updated_dense_bytes += other.updated_dense_bytes;
    updated_expert_bytes += other.updated_expert_bytes;
    return *this;
}

double MatrixWork::seconds_of_rank(const OptimizerRow& row, int ranks) const {
    if (ranks == 1 || seconds == 0) {
        return seconds;
    }
    const double more = row.gathered > 0 ? seconds / matrices : 0;
    return std::min(seconds, seconds / ranks + more);
}

MatrixWork matrix_work(const Accelerator& gpu, const Layout& layout, const PartTraining& part, double parameters) {
    const OptimizerRow& row = *layout.numerics.optimizer;
    MatrixWork work{.numbers = part.matrix_numbers(),
                    .further_states = trained_part(layout, part, parameters).further_states};
    if (row.products.empty()) {
        return work;
    }
    const OperatorTimes times(gpu);
    for (const MatrixShape& matrices : part.matrices) {
        work.matrices += matrices.count;
        work.seconds += seconds_of(times, row, matrices);
    }
    return work;
}

Duration update_time(const Machine& machine, const Layout& layout, const UpdateWork& work, const UpdateBytes& bytes) {
    const OptimizerRow& row = *layout.numerics.optimizer;
    const bool spread = layout.parallelism.zero >= 1;
    const int dense_ranks = spread ? layout.shards() : 1;
    const int expert_ranks = spread ? layout.expert_shards() : 1;
    const double own = work.dense / dense_ranks + work.experts / expert_ranks;
    const double all = layout.spreads_gradient_sums() ? own : work.dense + work.experts;
    const double unscaled = layout.numerics.precision == Precision::fp16 ? 2 * bytes.gradient : 0;
    const double per_own = updated_bytes(row) + bytes.gradient + bytes.parameter;
    // One pass reads the gradients for the norm and one sets them to 0; in fp16, another reads and writes them to undo
    // the scaling of the loss.
    const double norm_and_zero = 2 * bytes.gradient + unscaled;
    // States are read and written.
    const double further =
        2 * (work.dense_matrices.further_states / dense_ranks + work.expert_matrices.further_states / expert_ranks);
    double time = (own * (per_own + bytes.gradient) + all * norm_and_zero + further) / bytes.rate;
    time += work.dense_matrices.seconds_of_rank(row, dense_ranks);
    time += work.expert_matrices.seconds_of_rank(row, expert_ranks);
    if (layout.framework.offload_optimizer) {
        time += own * (bytes.gradient + bytes.parameter) / machine.host_link;
    }
    return duration_of_seconds(time);
}

// Averaged over micro-batches. Megatron's main_grad.add_() reads both and writes the sum;
// DeepSpeed's BF16_Optimizer.update_hp_grads copies them to fp32 first. Autograd adds two tensors of the parameter's
// format, from the second micro-batch on. Sharded gradients are added shard by shard, which is negligible.
double added_bytes_of(const Layout& layout) {
    const TrainingLoop loop = layout.framework.loop;
    if ((loop == TrainingLoop::megatron && layout.framework.fused_accumulation) || layout.spreads_gradient_sums()) {
        return 0;
    }
    const double element = row_of(layout.numerics.precision).element_bytes;
    const bool autograd = loop == TrainingLoop::torch || !layout.numerics.fp32_gradients || element == 4;
    if (autograd) {
        const int times = layout.pipeline_shape().micro_batches_of_chunk();
        return 3 * element * (times - 1) / times;
    }
    const double read_and_written = element + 4 + 4;
    return loop == TrainingLoop::deepspeed ? (element + 4) + (4 + 4 + 4) : read_and_written;
}

}  // namespace sim::training
