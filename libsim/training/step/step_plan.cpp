#include "libsim/training/step/step_plan.hpp"

#include "libsim/training/activation_sizes.hpp"
#include "libsim/training/layer_kinds.hpp"
#include "libsim/training/memory/trained_part.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/split.hpp"
#include "libsim/training/step/rank_group.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sim::training {

namespace {

// Megatron-LM's distributed data parallel: buckets of at least this many parameters, and this many per replica.
constexpr double least_bucket = 40e6;
constexpr double least_bucket_per_replica = 1e6;

// The number of outputs of the last stage: the next token's, and those of multi-token prediction.
int outputs_of(const Transformer& model) {
    return 1 + model.mtp_layers;
}

std::int64_t per_rank(std::int64_t parameters, int ranks) {
    return ceil_div(parameters, ranks);
}

void add_block(GradientBucket& bucket, const BlockTime& block) {
    bucket.forward += block.forward;
    bucket.backward_input += block.backward_input;
    bucket.backward_weight += block.backward_weight;
    bucket.paired_forward += block.paired_forward;
    bucket.paired_backward += block.paired_backward;
}

void add_bucket(GradientBucket& sum, const GradientBucket& one) {
    sum.layers += one.layers;
    sum.with_embedding = sum.with_embedding || one.with_embedding;
    sum.predictions += one.predictions;
    sum.with_output = sum.with_output || one.with_output;
    sum.dense_parameters += one.dense_parameters;
    sum.expert_parameters += one.expert_parameters;
    sum.dense_in_bf16 += one.dense_in_bf16;
    sum.experts_in_bf16 += one.experts_in_bf16;
    sum.beside += one.beside;
    sum.forward += one.forward;
    sum.backward_input += one.backward_input;
    sum.backward_weight += one.backward_weight;
    sum.paired_forward += one.paired_forward;
    sum.paired_backward += one.paired_backward;
    sum.output_weight += one.output_weight;
}

class Planner {
public:
    explicit Planner(StepPlan& plan)
        : plan_(plan),
          layout_(plan.layout),
          has_trained_parts_(has_trained_parts(plan.layout)),
          times_(plan.model, plan.machine, plan.layout, block_groups(plan.layout, plan.machine)),
          parameters_(parameters_of(plan.model)) {}

    StagePlan stage(int stage) {
        StagePlan result{.first_alike = stage};
        result.chunks.reserve(static_cast<std::size_t>(layout_.chunks_of_stage()));
        for (int chunk = 0; chunk < layout_.chunks_of_stage(); ++chunk) {
            result.chunks.push_back(this->chunk(result, virtual_stage_of(layout_, stage, chunk)));
        }
        const int micro_batches = plan_.shape.micro_batches_of_chunk();
        result.flops *= micro_batches;
        result.recompute_flops *= micro_batches;
        for (const ChunkPlan& chunk : result.chunks) {
            result.update.dense += static_cast<double>(chunk.whole.dense_parameters);
            result.update.experts += static_cast<double>(chunk.whole.expert_parameters);
        }
        result.optimizer[TimeCategory::optimizer] = update_time(
            plan_.machine, layout_, result.update, {plan_.gradient_bytes, plan_.parameter_bytes, plan_.copied_rate});
        if (layout_.framework.outer_every > 0) {
            result.outer = outer_step(plan_, result.update);
        }
        return result;
    }

    StagePlan like(const StagePlan& one_before, int stage) const {
        StagePlan result = one_before;
        for (int number = 0; number < layout_.chunks_of_stage(); ++number) {
            ChunkPlan& chunk = result.chunks[static_cast<std::size_t>(number)];
            const int first = first_layer_of(plan_.model, layout_, virtual_stage_of(layout_, stage, number));
            // inner_collectives.cpp finds the kind of each layer by its number.
            const int further = first - chunk.whole.first_layer;
            chunk.whole.first_layer = first;
            for (GradientBucket& bucket : chunk.buckets) {
                bucket.first_layer += further;
            }
        }
        return result;
    }

    // Whether a stage has the same work as the previous one: both are between the ends, and their layers are alike.
    bool is_like_the_one_before(int stage) const {
        // Stage 1 follows the first, which holds the embedding, so stage 2 is the first that can be like the one
        // before.
        if (stage < 2 || stage == layout_.parallelism.pp - 1 || predicts(stage) || predicts(stage - 1)) {
            return false;
        }
        for (int chunk = 0; chunk < layout_.chunks_of_stage(); ++chunk) {
            if (!have_layers_alike(virtual_stage_of(layout_, stage - 1, chunk),
                                   virtual_stage_of(layout_, stage, chunk))) {
                return false;
            }
        }
        return true;
    }

private:
    bool predicts(int stage) const {
        return plan_.model.mtp_layers > 0 && holds(layout_, stage, prediction_stage_of(layout_));
    }

    bool have_layers_alike(int one, int other) const {
        const int layers = layers_of(plan_.model, layout_, one);
        bool alike = layers_of(plan_.model, layout_, other) == layers;
        const int first_of_one = first_layer_of(plan_.model, layout_, one);
        const int first_of_other = first_layer_of(plan_.model, layout_, other);
        for (int layer = 0; alike && layer < layers; ++layer) {
            alike = times_.are_alike(first_of_one + layer, first_of_other + layer);
        }
        return alike;
    }

    ChunkPlan chunk(StagePlan& stage, int virtual_stage) {
        const int first = first_layer_of(plan_.model, layout_, virtual_stage);
        const int layers = layers_of(plan_.model, layout_, virtual_stage);
        const bool is_first = virtual_stage == 0;
        const bool is_last = virtual_stage == virtual_stages(layout_) - 1;
        ChunkPlan chunk{.buckets = {}, .whole = {.first_layer = first}};
        GradientBucket bucket{.first_layer = first};
        if (is_first) {
            add_embedding(stage, bucket);
        }
        const double least = std::max(least_bucket, least_bucket_per_replica * layout_.replicas());
        for (int layer = first; layer < first + layers; ++layer) {
            add_layer(stage, bucket, layer);
            const bool full = static_cast<double>(bucket.dense_parameters + bucket.expert_parameters) >= least;
            // With ZeRO 3 each layer is gathered by itself, so it is a bucket. The last one stays open for what
            // follows the layers.
            if ((full || layout_.parallelism.zero == 3) && layer + 1 < first + layers) {
                chunk.buckets.push_back(std::exchange(bucket, {.first_layer = layer + 1}));
            }
        }
        if (plan_.model.mtp_layers > 0 && virtual_stage == prediction_stage_of(layout_)) {
            if (layout_.parallelism.zero == 3 && bucket.layers > 0) {
                chunk.buckets.push_back(std::exchange(bucket, {.first_layer = first + layers}));
            }
            add_predictions(stage, bucket, virtual_stage);
        }
        if (is_last) {
            add_output(stage, bucket);
        }
        chunk.buckets.push_back(bucket);
        for (const GradientBucket& each : chunk.buckets) {
            add_bucket(chunk.whole, each);
        }
        return chunk;
    }

    void count(StagePlan& stage, const BlockTime& block) const {
        stage.flops += block.forward_flops + block.backward_flops + block.recompute_flops;
        stage.recompute_flops += block.recompute_flops;
    }

    void add_layer(StagePlan& stage, GradientBucket& bucket, int layer) {
        const BlockTime& block = times_.of_layer(layer);
        bucket.layers += 1;
        add_parameters(bucket, parameters_of_layer(layer), layout_.numerics.leaves_in_bf16(layer, plan_.model.layers));
        if (has_trained_parts_) {
            add_trained(stage, bucket, layer);
        }
        add_block(bucket, block);
        count(stage, block);
    }

    const LayerParameters& parameters_of_layer(int layer) {
        return parameters_of_layers_.of(plan_.model, layer,
                                        [&](int first) { return layer_parameters(plan_.model, first); });
    }

    void add_parameters(GradientBucket& bucket, const LayerParameters& parameters, bool in_bf16 = false) const {
        const std::int64_t dense = parameters.dense_of_rank(layout_.parallelism.tp);
        const std::int64_t experts =
            per_rank(parameters.routed_experts, layout_.parallelism.ep * layout_.parallelism.expert_tp);
        if (layout_.adapters.exist()) {
            bucket.beside.frozen += dense + experts;
            return;
        }
        bucket.dense_parameters += dense;
        bucket.expert_parameters += experts;
        bucket.dense_in_bf16 += in_bf16 ? dense : 0;
        bucket.experts_in_bf16 += in_bf16 ? experts : 0;
    }
    // The parameters of a table on this rank, and others in vectors beside it, which `vectors` counts before tp.
    void add_table(StagePlan& stage, GradientBucket& bucket, std::int64_t parameters, std::int64_t vectors = 0) const {
        if (layout_.adapters.exist()) {
            add_frozen(bucket, parameters);
            return;
        }
        bucket.dense_parameters += parameters;
        bucket.dense_in_bf16 += parameters;
        if (!has_trained_parts_) {
            return;
        }
        const double beside = static_cast<double>(vectors) / layout_.parallelism.tp;
        const double rows = (static_cast<double>(parameters) - beside) / plan_.model.hidden;
        double& further = stage.update.dense_matrices.further_states;
        further += trained_table(layout_, rows, plan_.model.hidden).further_states;
        further += further_states_of_vectors(layout_, beside);
    }
    void add_frozen(GradientBucket& bucket, std::int64_t parameters) const {
        bucket.beside.frozen += parameters;
        bucket.beside.frozen_dense_bytes += static_cast<double>(parameters) * plan_.element_bytes;
    }

    // The optimizer's row and adapters add these to a layer.
    struct TrainedLayer {
        TrainedPart dense;
        TrainedPart routed;
        MatrixWork dense_work;
        MatrixWork routed_work;
    };
    TrainedLayer trained_layer(const std::vector<Operator>& operators, double dense, double experts) const {
        const LayerTraining layer = layer_training(operators);
        return {.dense = trained_part(layout_, layer.dense, dense),
                .routed = trained_part(layout_, layer.routed, experts),
                .dense_work = matrix_work(plan_.machine.gpu, layout_, layer.dense, dense),
                .routed_work = matrix_work(plan_.machine.gpu, layout_, layer.routed, experts)};
    }
    double experts_of_rank(const LayerParameters& parameters) const {
        return static_cast<double>(
            per_rank(parameters.routed_experts, layout_.parallelism.ep * layout_.parallelism.expert_tp));
    }
    void add_trained(StagePlan& stage, GradientBucket& bucket, int layer) {
        const TrainedLayer& trained = trained_layers_.of(plan_.model, layer, [&](int first) {
            const LayerParameters& parameters = parameters_of_layer(first);
            return trained_layer(layer_operators(plan_.model, layout_, first),
                                 static_cast<double>(parameters.dense_of_rank(layout_.parallelism.tp)),
                                 experts_of_rank(parameters));
        });
        stage.update.dense_matrices += trained.dense_work;
        stage.update.expert_matrices += trained.routed_work;
        const double gathered = layout_.numerics.optimizer->gathered;
        bucket.beside.updated_dense_bytes += gathered * trained.dense_work.numbers;
        bucket.beside.updated_expert_bytes += gathered * trained.routed_work.numbers;
        bucket.dense_parameters += std::llround(trained.dense.adapters);
        bucket.expert_parameters += std::llround(trained.routed.adapters);
        bucket.beside.frozen_dense_bytes += trained.dense.frozen_bytes;
        bucket.beside.frozen_expert_bytes += trained.routed.frozen_bytes;
    }

    // The embedding is the first stage's; other stages have a copy, which a tied output layer on the last one shares.
    void add_predictions(StagePlan& stage, GradientBucket& bucket, int virtual_stage) {
        const JoinParameters join = join_parameters(plan_.model);
        for (int number = 0; number < plan_.model.mtp_layers; ++number) {
            add_parameters(bucket, parameters_of_layer(plan_.model.layers + number));
            const std::int64_t joined = per_rank(join.product + join.norms, layout_.parallelism.tp);
            if (layout_.adapters.exist()) {
                add_frozen(bucket, joined);
            } else {
                bucket.dense_parameters += joined;
            }
            if (has_trained_parts_) {
                add_trained(stage, bucket, plan_.model.layers + number);
            }
            for (const BlockTime& block : {times_.of_embedding(), times_.of_prediction(number)}) {
                add_block(bucket, block);
                count(stage, block);
            }
        }
        bucket.predictions = plan_.model.mtp_layers;
        if (has_table_for_predictions(plan_.model, layout_, virtual_stage % layout_.parallelism.pp)) {
            add_table(stage, bucket, per_rank(parameters_.embedding, layout_.parallelism.tp));
        }
    }

    void add_embedding(StagePlan& stage, GradientBucket& bucket) {
        BlockTime block = times_.of_embedding();
        bucket.with_embedding = true;
        if (plan_.model.tower) {
            block += times_.of_tower();
            add_tower(plan_, stage, bucket);
        }
        add_table(stage, bucket, per_rank(parameters_.embedding + parameters_.positions, layout_.parallelism.tp));
        add_block(bucket, block);
        count(stage, block);
    }

    // A tied output layer has its own copy of the embedding unless its stage also holds the first layers.
    void add_output(StagePlan& stage, GradientBucket& bucket) {
        const BlockTime block = times_.of_output();
        const bool copy = plan_.model.tied_embeddings && !holds(layout_, layout_.parallelism.pp - 1, 0);
        bucket.with_output = true;
        for (int output = 1; output < outputs_of(plan_.model); ++output) {
            add_block(bucket, block);
            count(stage, block);
            bucket.output_weight += block.backward_weight;
        }
        bucket.output_weight += block.backward_weight;
        const std::int64_t table = copy ? parameters_.embedding : parameters_.output;
        add_table(stage, bucket, per_rank(table + parameters_.final_norm, layout_.parallelism.tp),
                  parameters_.final_norm);
        add_block(bucket, block);
        count(stage, block);
    }

    StepPlan& plan_;
    const Layout& layout_;
    const bool has_trained_parts_;  // one answer for all layers
    BlockTimes times_;
    Parameters parameters_;
    OfLayerKinds<LayerParameters> parameters_of_layers_;
    OfLayerKinds<TrainedLayer> trained_layers_;
};

}  // namespace

BlockGroups block_groups(const Layout& layout, const Machine& machine) {
    const auto footprint = [&](RankGroup group) { return footprint_of(group, layout, machine.gpus_per_node); };
    return {.tensor = footprint(RankGroup::tensor),
            .heads = footprint(RankGroup::heads),
            .context = footprint(RankGroup::context),
            .expert = footprint(RankGroup::expert),
            .expert_tensor = footprint(RankGroup::expert_tensor)};
}

TimeParts GradientBucket::backward() const {
    TimeParts both = backward_input;
    both += backward_weight;
    return both;
}

std::int64_t StagePlan::parameters() const {
    std::int64_t sum = 0;
    for (const ChunkPlan& chunk : chunks) {
        sum += chunk.whole.dense_parameters + chunk.whole.expert_parameters + chunk.whole.beside.frozen;
    }
    return sum;
}

// Python's view of a part, the dispatcher's copy and its launch.
constexpr double part_copy = 13e-6;

StepPlan plan_step(const Transformer& model, const Machine& machine, const Layout& layout) {
    StepPlan plan{.model = model, .machine = machine, .layout = layout};
    plan.shape = layout.pipeline_shape();
    const PrecisionRow& format = row_of(layout.numerics.precision);
    const bool megatron = layout.framework.loop == TrainingLoop::megatron;
    plan.parameter_bytes = megatron ? format.gathered_bytes : format.element_bytes;
    plan.element_bytes = format.element_bytes;
    plan.gradient_bytes = layout.numerics.fp32_gradients ? 4 : format.element_bytes;
    const double tokens = tokens_between_stages(model, layout);
    const bool divided = layout.parallelism.sequence_parallel || layout.framework.scatter_gather;
    plan.boundary_bytes =
        static_cast<std::int64_t>(tokens * model.hidden * format.element_bytes / (divided ? layout.parallelism.tp : 1));
    const Efficiency& efficiency = machine.gpu.efficiency;
    const bool eager = layout.framework.fusion == Fusion::eager;
    plan.step_overhead = duration_of_seconds(efficiency.step_overhead + (eager ? efficiency.eager_overhead : 0));
    plan.micro_batch_overhead = duration_of_seconds(efficiency.micro_batch_overhead);
    plan.copied_rate = machine.gpu.memory_bandwidth * efficiency.memory_share;
    plan.part_copy = part_copy;
    plan.added_bytes = added_bytes_of(layout);
    plan.synchronises = !layout.parallelism.schedule->steps_overlap;
    // If steps overlap, the first one begins with an empty pipeline, as no later one does; the second is the typical
    // one.
    plan.steps = plan.synchronises ? 1 : 2;
    // Copies of the embedding are all-reduced: the output layer's, and that of multi-token prediction, whichever stage
    // it is on. With a bidirectional schedule, the stages at the ends hold the embedding and the output layer and share
    // one table.
    if ((model.tied_embeddings || model.mtp_layers > 0) && !holds(layout, layout.parallelism.pp - 1, 0) &&
        !layout.adapters.exist()) {
        plan.embedding_bytes = static_cast<std::int64_t>(
            static_cast<double>(per_rank(parameters_of(model).embedding, layout.parallelism.tp)) * plan.gradient_bytes);
    }
    Planner planner(plan);
    plan.stages.reserve(static_cast<std::size_t>(layout.parallelism.pp));
    for (int stage = 0; stage < layout.parallelism.pp; ++stage) {
        if (plan.shape.both_ways && stage >= layout.parallelism.pp / 2) {
            const StagePlan other = plan.stages[static_cast<std::size_t>(layout.parallelism.pp - 1 - stage)];
            plan.stages.push_back(other);
            continue;
        }
        plan.stages.push_back(planner.is_like_the_one_before(stage) ? planner.like(plan.stages.back(), stage)
                                                                    : planner.stage(stage));
    }
    return plan;
}

}  // namespace sim::training
