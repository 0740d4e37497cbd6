#include "libsim/training/step/stage_step.hpp"

#include <algorithm>
#include <iterator>

namespace sim::training {

namespace {

class StepOfStage {
public:
    StepOfStage(const StepPlan& plan, int stage)
        : plan_(plan), layout_(plan.layout), stage_(stage), own_(plan.stages[static_cast<std::size_t>(stage)]) {}

    StageStep all() const {
        StageStep step{.before = before(), .chunks = {}, .after = after()};
        step.chunks.reserve(own_.chunks.size());
        for (const ChunkPlan& chunk : own_.chunks) {
            step.chunks.push_back(passes(chunk));
        }
        return step;
    }

private:
    bool copies_shards() const { return layout_.shard_copies() > 1; }
    bool has_outer_steps() const { return layout_.framework.outer_every > 0; }
    // Whether shards of gradients are summed over their copies only once a step.
    bool sums_copies_last() const {
        return copies_shards() && !has_outer_steps() && reduces_each() && layout_.framework.loop != TrainingLoop::torch;
    }
    bool replicates() const { return layout_.replicas() > 1 || layout_.expert_replicas() > 1; }
    bool shards_parameters() const { return layout_.parallelism.zero == 3 && replicates(); }
    bool gathers_once() const {
        return (layout_.parallelism.zero == 1 || layout_.parallelism.zero == 2) && replicates();
    }
    bool reduces_each() const { return layout_.spreads_gradient_sums() && replicates(); }
    bool reduces_once() const { return !layout_.spreads_gradient_sums() && replicates(); }
    bool reduces_beside() const { return layout_.framework.overlap_gradients && reduces_once(); }
    bool reduces_after() const { return !layout_.framework.overlap_gradients && reduces_once(); }
    bool per_rank_tensors() const { return layout_.framework.per_rank_tensors && shards_parameters(); }
    bool gathers_for_recomputation() const {
        return layout_.framework.loop == TrainingLoop::deepspeed && layout_.framework.recompute == Recompute::full;
    }

    static Piece mark(StepWork work) { return {.work = work}; }
    static Piece compute(StepWork work, Duration time) {
        return {.kind = PieceKind::compute, .work = work, .time = time};
    }
    static Piece pass(StepWork work, const GradientBucket& bucket, Duration time) {
        return {.kind = PieceKind::compute, .work = work, .time = time, .bucket = &bucket};
    }
    static Piece wait_for(const GradientBucket& bucket) {
        return {.kind = PieceKind::wait, .work = StepWork::gather_parameters, .bucket = &bucket};
    }
    Piece wait_for_reductions() const { return {.kind = PieceKind::wait, .work = reduction()}; }
    static Piece collect(StepWork work, RankGroup group, double bytes) {
        return {.kind = PieceKind::collect,
                .work = work,
                .collectives = {StepCollective{.group = group, .kind = CollectiveKind::all_reduce, .bytes = bytes}}};
    }

    int times_of(CollectiveKind kind) const {
        if (layout_.parallelism.zero < 3) {
            return 1;
        }
        return kind == CollectiveKind::all_gather ? layout_.framework.gathers_per_layer
                                                  : layout_.framework.reductions_per_layer;
    }
    // Bytes of all parameters of a bucket, in as many collectives as its layers are sharded into.
    struct BucketBytes {
        double dense;
        double experts;
    };
    StepCollective over(RankGroup group, CollectiveKind kind, double bytes) const {
        return {group, kind, members_of(group, layout_) < 2 ? 0 : bytes};
    }
    Piece over_replicas(StepWork work, CollectiveKind kind, const GradientBucket& bucket, const BucketBytes& all,
                        PieceOrder order) const {
        const bool copies = copies_shards();
        const int times = times_of(kind);
        return {.kind = PieceKind::collect,
                .work = work,
                .bucket = &bucket,
                .order = order,
                .times = times,
                .collectives = {
                    over(copies ? RankGroup::shards : RankGroup::replicas, kind, all.dense / times),
                    over(copies ? RankGroup::expert_shards : RankGroup::expert_replicas, kind, all.experts / times)}};
    }
    BucketBytes parameters_of(const GradientBucket& bucket) const {
        const auto bytes = [&](std::int64_t parameters, std::int64_t in_bf16) {
            return static_cast<double>(parameters - in_bf16) * plan_.parameter_bytes +
                   static_cast<double>(in_bf16) * plan_.element_bytes;
        };
        // Frozen ones are gathered only where no rank has all of them.
        const double frozen = shards_parameters() ? 1 : 0;
        return {bytes(bucket.dense_parameters, bucket.dense_in_bf16) + frozen * bucket.beside.frozen_dense_bytes,
                bytes(bucket.expert_parameters, bucket.experts_in_bf16) + frozen * bucket.beside.frozen_expert_bytes};
    }
    BucketBytes gradients_of(const GradientBucket& bucket) const {
        return {static_cast<double>(bucket.dense_parameters) * plan_.gradient_bytes,
                static_cast<double>(bucket.expert_parameters) * plan_.gradient_bytes};
    }
    // The time of copies if a collective takes a list with one tensor per rank: the host launches a kernel for each
    // part, and the memory is filled, read and written.
    Piece copy_parts(const Piece& collective, double passes) const {
        double kernels = 0;
        double bytes = 0;
        for (const StepCollective& one : collective.collectives) {
            if (one.exists() && one.kind != CollectiveKind::all_reduce) {
                kernels += static_cast<double>(collective.times) * members_of(one.group, layout_);
                bytes += collective.times * one.bytes;
            }
        }
        const double time = std::max(kernels * plan_.part_copy, passes * bytes / plan_.copied_rate);
        return compute(StepWork::copy_parts, duration_of_seconds(time));
    }
    void add_gather(const GradientBucket& bucket, Pieces& pieces) const {
        pieces.push_back(over_replicas(StepWork::gather_parameters, CollectiveKind::all_gather, bucket,
                                       parameters_of(bucket), PieceOrder::ahead));
        if (per_rank_tensors()) {
            pieces.push_back(copy_parts(pieces.back(), 3));  // zeroed, read and written
        }
    }
    StepWork reduction() const {
        return layout_.parallelism.zero >= 1 ? StepWork::reduce_scatter_gradients : StepWork::all_reduce_gradients;
    }
    // `sums_copies`: over the copies of shards, too, if there are any.
    Piece reduce(const GradientBucket& bucket, PieceOrder order, bool sums_copies) const {
        const CollectiveKind kind =
            layout_.parallelism.zero >= 1 ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
        const BucketBytes all = gradients_of(bucket);
        Piece piece = over_replicas(reduction(), kind, bucket, all, order);
        if (sums_copies && copies_shards() && !has_outer_steps()) {
            const double dense = all.dense / piece.times / layout_.shards();
            const double experts = all.experts / piece.times / layout_.expert_shards();
            piece.collectives[2] = over(RankGroup::shard_copies, CollectiveKind::all_reduce, dense);
            piece.collectives[3] = over(RankGroup::expert_shard_copies, CollectiveKind::all_reduce, experts);
        }
        return piece;
    }

    Pieces before() const {
        Pieces pieces{mark(StepWork::begin), compute(StepWork::step_overhead, plan_.step_overhead)};
        if (gathers_once()) {
            for (const ChunkPlan& chunk : own_.chunks) {
                pieces.reserve(pieces.size() + chunk.buckets.size() + 1);
                for (const GradientBucket& bucket : chunk.buckets) {
                    add_gather(bucket, pieces);
                }
            }
            if (!layout_.framework.overlap_parameters) {
                pieces.push_back(wait_for(own_.chunks.back().buckets.back()));  // the last one on its stream
            }
        }
        return pieces;
    }

    ChunkPasses passes(const ChunkPlan& chunk) const {
        const NamedPipelineSchedule& schedule = *layout_.parallelism.schedule;
        ChunkPasses passes;
        passes[PassKind::forward] = forward(chunk);
        if (gathers_once() && layout_.framework.overlap_parameters) {
            passes[PassKind::first_forward] = forward_as_gathered(chunk);
        }
        if (schedule.splits_backward) {
            passes[PassKind::backward_input] = shards_parameters()
                                                   ? sharded_backward(chunk, StepWork::backward_input, false)
                                                   : Pieces{backward_of(chunk.whole, StepWork::backward_input)};
            add_backward(chunk, StepWork::backward_weight, PassKind::backward_weight, PassKind::last_backward_weight,
                         passes);
        }
        if (schedule.whole_backward) {
            add_backward(chunk, StepWork::backward, PassKind::backward, PassKind::last_backward, passes);
        }
        if (puts_off(chunk)) {
            const Pieces deferred = summing(chunk.whole, backward_without_output(chunk.whole));
            passes[PassKind::deferring_backward] = deferred;
            passes[PassKind::last_deferring_backward] =
                reduces_beside() ? reducing_backward(chunk, StepWork::backward, {.puts_off = true}) : deferred;
        }
        if (schedule.pairs) {
            const GradientBucket& whole = chunk.whole;
            passes[PassKind::paired_forward] = {micro_batch_overhead(),
                                                pass(StepWork::paired_forward, whole, whole.paired_forward.total())};
            passes[PassKind::paired_backward] =
                summing(whole, pass(StepWork::paired_backward, whole, whole.paired_backward.total()));
        }
        return passes;
    }

    // The pass that computes the weight gradients.
    void add_backward(const ChunkPlan& chunk, StepWork work, PassKind usual, PassKind last, ChunkPasses& passes) const {
        const bool sums_copies = !sums_copies_last();
        passes[usual] = reduces_each() ? reducing_each(chunk, work, sums_copies)
                                       : summing(chunk.whole, backward_of(chunk.whole, work));
        if (reduces_beside()) {
            passes[last] = reducing_backward(chunk, work, {});
        } else if (!sums_copies) {
            passes[last] = reducing_each(chunk, work, true);
        }
    }
    Pieces reducing_each(const ChunkPlan& chunk, StepWork work, bool sums_copies) const {
        const bool multiplies_parameters = work != StepWork::backward_weight;
        return shards_parameters() && multiplies_parameters
                   ? sharded_backward(chunk, work, sums_copies)
                   : reducing_backward(chunk, work, {.sums_copies = sums_copies});
    }
    // If no GEMM accumulates the gradients, a kernel adds them before they are reduced.
    void add_sum(const GradientBucket& bucket, Pieces& pieces) const {
        if (plan_.added_bytes > 0) {
            const auto parameters = static_cast<double>(bucket.dense_parameters + bucket.expert_parameters);
            const double seconds = plan_.added_bytes * parameters / plan_.copied_rate;
            pieces.push_back(compute(StepWork::add_gradients, duration_of_seconds(seconds)));
        }
    }
    Pieces summing(const GradientBucket& bucket, const Piece& backward) const {
        Pieces pieces{backward};
        add_sum(bucket, pieces);
        return pieces;
    }

    static Piece forward_of(const GradientBucket& bucket) {
        return pass(StepWork::forward, bucket, bucket.forward.total());
    }
    Piece micro_batch_overhead() const { return compute(StepWork::micro_batch_overhead, plan_.micro_batch_overhead); }
    Pieces forward(const ChunkPlan& chunk) const {
        if (shards_parameters()) {
            return sharded_forward(chunk);
        }
        return {micro_batch_overhead(), forward_of(chunk.whole)};
    }
    Pieces forward_as_gathered(const ChunkPlan& chunk) const {
        Pieces pieces{micro_batch_overhead()};
        pieces.reserve(1 + 2 * chunk.buckets.size());
        for (const GradientBucket& bucket : chunk.buckets) {
            pieces.push_back(wait_for(bucket));
            pieces.push_back(forward_of(bucket));
        }
        return pieces;
    }
    Pieces sharded_forward(const ChunkPlan& chunk) const {
        Pieces pieces{micro_batch_overhead()};
        const bool ahead = layout_.framework.overlap_parameters;
        pieces.reserve(1 + 4 * chunk.buckets.size());
        for (auto bucket = chunk.buckets.begin(); bucket != chunk.buckets.end(); ++bucket) {
            if (!ahead || bucket == chunk.buckets.begin()) {
                add_gather(*bucket, pieces);
            }
            pieces.push_back(wait_for(*bucket));
            // Issued before this bucket computes, so that the gather runs beside the computation.
            if (const auto next = std::next(bucket); ahead && next != chunk.buckets.end()) {
                add_gather(*next, pieces);
            }
            pieces.push_back(forward_of(*bucket));
        }
        return pieces;
    }

    static Piece backward_of(const GradientBucket& bucket, StepWork work) {
        switch (work) {
            case StepWork::backward_input: return pass(work, bucket, bucket.backward_input.total());
            case StepWork::backward_weight: return pass(work, bucket, bucket.backward_weight.total());
            default: return pass(work, bucket, bucket.backward().total());
        }
    }
    // Without overlap, the computation waits for each reduction.
    void add_reduction(const GradientBucket& bucket, bool sums_copies, Pieces& pieces) const {
        const Piece reduction = reduce(bucket, PieceOrder::beside, sums_copies);
        if (per_rank_tensors()) {
            pieces.push_back(copy_parts(reduction, 2));
        }
        pieces.push_back(reduction);
        if (!layout_.framework.overlap_gradients) {
            pieces.push_back(wait_for_reductions());
        }
    }
    // A deferred gradient is reduced when all of it is available, after the passes.
    struct Reducing {
        bool puts_off = false;
        bool sums_copies = true;
    };
    Pieces reducing_backward(const ChunkPlan& chunk, StepWork work, const Reducing& how) const {
        Pieces pieces;
        pieces.reserve(4 * chunk.buckets.size());
        for (auto bucket = chunk.buckets.rbegin(); bucket != chunk.buckets.rend(); ++bucket) {
            const bool waits = bucket->with_output && puts_off(chunk);
            pieces.push_back(waits && how.puts_off ? backward_without_output(*bucket) : backward_of(*bucket, work));
            add_sum(*bucket, pieces);
            if (!waits) {
                add_reduction(*bucket, how.sums_copies, pieces);
            }
        }
        return pieces;
    }
    bool puts_off(const ChunkPlan& chunk) const {
        return layout_.framework.deferred_output_wgrads > 0 && chunk.whole.with_output;
    }
    static Piece backward_without_output(const GradientBucket& bucket) {
        return pass(StepWork::backward, bucket, bucket.backward().total() - bucket.output_weight.total());
    }
    void add_deferred(Pieces& pieces) const {
        for (const ChunkPlan& chunk : own_.chunks) {
            if (puts_off(chunk)) {
                const int times = std::min(layout_.framework.deferred_output_wgrads, plan_.shape.micro_batches);
                pieces.push_back(compute(StepWork::deferred_gradients, times * chunk.whole.output_weight.total()));
                if (reduces_beside()) {
                    pieces.push_back(reduce(chunk.buckets.back(), PieceOrder::beside, true));
                }
            }
        }
    }
    // Gathers and reductions share one stream: the next gather is issued before this bucket's reduction. In a split
    // pass, the input gradient needs the parameters, and the weight gradient comes later.
    Pieces sharded_backward(const ChunkPlan& chunk, StepWork work, bool sums_copies) const {
        Pieces pieces;
        const bool ahead = layout_.framework.overlap_parameters;
        pieces.reserve(9 * chunk.buckets.size());
        for (auto bucket = chunk.buckets.rbegin(); bucket != chunk.buckets.rend(); ++bucket) {
            const bool is_first = bucket == chunk.buckets.rbegin();
            const auto gather_here = [&] {
                add_gather(*bucket, pieces);
                pieces.push_back(wait_for(*bucket));
            };
            if (layout_.framework.reshard_after_forward && !is_first) {
                if (ahead) {
                    pieces.push_back(wait_for(*bucket));
                } else {
                    gather_here();
                }
            }
            if (gathers_for_recomputation()) {
                gather_here();
            }
            if (const auto next = std::next(bucket);
                layout_.framework.reshard_after_forward && ahead && next != chunk.buckets.rend()) {
                add_gather(*next, pieces);
            }
            pieces.push_back(backward_of(*bucket, work));
            if (work != StepWork::backward_input) {
                add_reduction(*bucket, sums_copies, pieces);
            }
        }
        return pieces;
    }

    // Ranks that share matrices gather those that their optimizer's step needs whole.
    void add_gathers_of_update(Pieces& pieces) const {
        for (const ChunkPlan& chunk : own_.chunks) {
            const BucketBytes bytes{chunk.whole.beside.updated_dense_bytes, chunk.whole.beside.updated_expert_bytes};
            if (layout_.parallelism.zero >= 1 && replicates() && bytes.dense + bytes.experts > 0) {
                pieces.push_back(over_replicas(StepWork::gather_matrices, CollectiveKind::all_gather, chunk.whole,
                                               bytes, PieceOrder::here));
            }
        }
    }

    Pieces after() const {
        Pieces pieces{mark(StepWork::begin_gradients)};
        add_deferred(pieces);
        if (reduces_beside() || (reduces_each() && layout_.framework.overlap_gradients)) {
            pieces.push_back(wait_for_reductions());
        } else if (reduces_after()) {
            for (const ChunkPlan& chunk : own_.chunks) {
                pieces.push_back(reduce(chunk.whole, PieceOrder::here, true));
            }
        }
        const bool is_end = stage_ == 0 || stage_ == layout_.parallelism.pp - 1;
        if (plan_.embedding_bytes > 0 && is_end) {
            pieces.push_back(
                collect(StepWork::all_reduce_embedding, RankGroup::ends, static_cast<double>(plan_.embedding_bytes)));
        }
        pieces.push_back(mark(StepWork::begin_update));
        if (plan_.synchronises && layout_.ranks() > 1) {
            pieces.push_back(collect(StepWork::all_reduce_norm, RankGroup::everyone, 4));
        }
        add_gathers_of_update(pieces);
        pieces.push_back(compute(StepWork::optimizer, own_.optimizer.total()));
        if (has_outer_steps()) {
            pieces.push_back(compute(StepWork::outer_reduction, own_.outer.reduction));
            pieces.push_back(compute(StepWork::outer_update, own_.outer.update));
        }
        return pieces;
    }

    const StepPlan& plan_;
    const Layout& layout_;
    int stage_;
    const StagePlan& own_;
};

}  // namespace

StageStep stage_step(const StepPlan& plan, int stage) {
    return StepOfStage(plan, stage).all();
}

}  // namespace sim::training
