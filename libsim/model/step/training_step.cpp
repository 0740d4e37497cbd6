#include "libsim/model/step/training_step.hpp"

#include "libsim/model/step/jitter.hpp"

#include <algorithm>
#include <utility>

namespace sim::model {

namespace {

constexpr Stream data_stream = static_cast<Stream>(1);
constexpr Pace a_picosecond{1, 1};  // a billionth of a unit

// One rank's side of the step.
class Rank {
public:
    Rank(GPU& gpu, const StepPlan& plan, const Places& places, const StepOptions& options)
        : gpu_(gpu),
          plan_(plan),
          layout_(plan.layout),
          places_(places),
          stage_(places.stage_of(gpu.rank())),
          own_(plan.stages[static_cast<std::size_t>(stage_)]),
          replicas_(places.replicas(gpu.rank())),
          expert_replicas_(places.expert_replicas(gpu.rank())),
          jitter_(options.jitter, options.seed, layout_, places.real_rank(gpu.rank())) {}

    void step() {
        gpu_.log("step");
        spend("step overhead", plan_.step_overhead);
        if (layout_.zero == 1 || layout_.zero == 2) {
            gather_all_parameters();
        }
        pipeline();
        reduce_gradients();
        update();
    }

private:
    bool spreads_parameters() const { return layout_.zero == 3; }
    bool replicates() const { return layout_.replicas() > 1 || layout_.expert_replicas() > 1; }

    void spend(const char* label, Duration time) {
        if (time.count() > 0) {
            gpu_.compute(label, Units::from_billionths(time.count()));
        }
    }

    void collective(CollectiveKind kind, const Group& group, int members, std::int64_t bytes, const char* label) {
        if (members > 1 && bytes > 0) {
            gpu_.collective(group, {.kind = kind, .size = Bytes{bytes}, .label = label});
        }
    }
    void over_replicas(CollectiveKind kind, const Bucket& bucket, double bytes_each, const char* label) {
        const int pieces = spreads_parameters() ? layout_.gathers_per_layer : 1;
        const auto bytes = [&](std::int64_t parameters) {
            return static_cast<std::int64_t>(static_cast<double>(parameters) * bytes_each / pieces);
        };
        for (int piece = 0; piece < pieces; ++piece) {
            collective(kind, replicas_, layout_.replicas(), bytes(bucket.dense_parameters), label);
            collective(kind, expert_replicas_, layout_.expert_replicas(), bytes(bucket.expert_parameters), label);
        }
    }
    Handle gather(const Bucket& bucket) {
        return gpu_.on(data_stream, [&] {
            over_replicas(CollectiveKind::all_gather, bucket, plan_.parameter_bytes, "all-gather of parameters");
        });
    }
    void reduce(const Bucket& bucket) {
        const bool spread = layout_.zero >= 1;
        over_replicas(spread ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce, bucket,
                      plan_.gradient_bytes, spread ? "reduce-scatter of gradients" : "all-reduce of gradients");
    }

    void start_reducing(const Bucket& bucket) {
        gpu_.start_on(data_stream, [&] { reduce(bucket); });
        reducing_ = true;
    }

    void wait_for_reductions() {
        gpu_.wait(gpu_.on(data_stream, [] {}));
        reducing_ = false;
    }

    // Zero 1 and 2: what the last update made is gathered, while the first forward passes go on or before them.
    void gather_all_parameters() {
        if (!replicates()) {
            return;
        }
        for (const Chunk& chunk : own_.chunks) {
            gathered_.emplace_back();
            for (const Bucket& bucket : chunk.buckets) {
                gathered_.back().push_back(gather(bucket));
            }
        }
        if (!layout_.overlap_parameters) {
            gpu_.wait(gathered_.back().back());
            gathered_.clear();
        }
    }

    void pipeline() {
        const std::vector<PipelineStep> steps = layout_.schedule->steps(plan_.shape, stage_);
        for (const PipelineStep& step : steps) {
            if (const std::optional<PipelineHop> input = input_of(plan_.shape, stage_, step)) {
                take(*input);
            }
            carry_out(step);
            if (const std::optional<PipelineHop> output = output_of(plan_.shape, stage_, step)) {
                pass(*output);
            }
        }
        if (sending_) {
            gpu_.wait(*sending_);
        }
        sending_.reset();
    }

    // Micro-batches go over one boundary in order: a tag for each boundary and direction will do.
    static Tag tag_of(const PipelineHop& hop) { return Tag{2 * hop.into + (hop.backward ? 1 : 0)}; }
    static const char* label_of(const PipelineHop& hop) { return hop.backward ? "gradient" : "activation"; }
    void take(const PipelineHop& hop) {
        if (layout_.pp == 1) {
            return;
        }
        const int from = (hop.backward ? hop.into + 1 : hop.into - 1) % layout_.pp;
        gpu_.receive(places_.in_stage(gpu_.rank(), from), label_of(hop), Bytes{plan_.boundary_bytes}, tag_of(hop));
    }
    void pass(const PipelineHop& hop) {
        if (layout_.pp == 1) {
            return;
        }
        const int to = places_.in_stage(gpu_.rank(), hop.into % layout_.pp);
        const Handle sending = gpu_.send_async(to, label_of(hop), Bytes{plan_.boundary_bytes}, tag_of(hop));
        if (layout_.overlap_pipeline) {
            sending_ = sending;
        } else {
            gpu_.wait(sending);
        }
    }

    void carry_out(const PipelineStep& step) {
        const Chunk& chunk = own_.chunks[static_cast<std::size_t>(step.chunk)];
        const double factor = jitter_.next();
        switch (step.work) {
            case PipelineWork::forward:
                spend("micro-batch overhead", plan_.micro_batch_overhead);
                forward(chunk, step, factor);
                break;
            case PipelineWork::backward_input:
                spend("backward of inputs", scaled(chunk.whole.backward_input, factor));
                break;
            case PipelineWork::backward:
            case PipelineWork::backward_weight: backward(chunk, step, factor); break;
        }
    }

    static Duration scaled(const Parts& parts, double factor) { return Jitter::scaled(parts.total(), factor); }

    void forward(const Chunk& chunk, const PipelineStep& step, double factor) {
        if (spreads_parameters() && replicates()) {
            through_gathered(chunk, factor);
            return;
        }
        if (step.micro_batch > 0 || gathered_.empty()) {
            spend("forward", scaled(chunk.whole.forward, factor));
            return;
        }
        const std::vector<Handle>& gathered = gathered_[static_cast<std::size_t>(step.chunk)];
        for (std::size_t at = 0; at < chunk.buckets.size(); ++at) {
            gpu_.wait(gathered[at]);
            spend("forward", scaled(chunk.buckets[at].forward, factor));
        }
    }

    // FSDP: the next layer's parameters are gathered while this one computes, or after it.
    void through_gathered(const Chunk& chunk, double factor) {
        std::optional<Handle> next;
        for (std::size_t at = 0; at < chunk.buckets.size(); ++at) {
            gpu_.wait(next ? *next : gather(chunk.buckets[at]));
            next.reset();
            if (layout_.overlap_parameters && at + 1 < chunk.buckets.size()) {
                next = gather(chunk.buckets[at + 1]);
            }
            spend("forward", scaled(chunk.buckets[at].forward, factor));
        }
    }

    bool is_last_of_chunk(const PipelineStep& step) const { return step.micro_batch + 1 == plan_.shape.micro_batches; }
    Duration backward_time(const Bucket& bucket, const PipelineStep& step, double factor) const {
        return scaled(step.work == PipelineWork::backward ? bucket.backward() : bucket.backward_weight, factor);
    }

    void backward(const Chunk& chunk, const PipelineStep& step, double factor) {
        const char* const label = step.work == PipelineWork::backward ? "backward" : "backward of weights";
        if (spreads_parameters() && replicates()) {
            backward_through_gathered(chunk, step, factor, label);
            return;
        }
        if (!layout_.overlap_gradients || !replicates() || !is_last_of_chunk(step)) {
            spend(label, backward_time(chunk.whole, step, factor));
            return;
        }
        for (auto bucket = chunk.buckets.rbegin(); bucket != chunk.buckets.rend(); ++bucket) {
            spend(label, backward_time(*bucket, step, factor));
            start_reducing(*bucket);
        }
    }

    // FSDP: gathers and reductions share one stream; the next gather goes before this layer's reduction.
    void backward_through_gathered(const Chunk& chunk, const PipelineStep& step, double factor, const char* label) {
        const bool again = layout_.reshard_after_forward;
        std::optional<Handle> next;
        for (auto bucket = chunk.buckets.rbegin(); bucket != chunk.buckets.rend(); ++bucket) {
            const bool kept = !again || bucket == chunk.buckets.rbegin();  // the last layer's are still there
            if (!kept) {
                gpu_.wait(next ? *next : gather(*bucket));
            }
            if (gathers_for_recomputation()) {
                gpu_.wait(gather(*bucket));
            }
            const auto after = std::next(bucket);
            next.reset();
            if (again && layout_.overlap_parameters && after != chunk.buckets.rend()) {
                next = gather(*after);
            }
            spend(label, backward_time(*bucket, step, factor));
            start_reducing(*bucket);
            if (!layout_.overlap_gradients) {
                wait_for_reductions();
            }
        }
    }

    // DeepSpeed drops what the recomputed forward pass has gathered, and gathers it again for the backward pass.
    bool gathers_for_recomputation() const {
        return layout_.framework == Framework::deepspeed && layout_.recompute == Recompute::full;
    }

    void reduce_gradients() {
        gpu_.log("gradients");
        if (reducing_) {
            wait_for_reductions();
        } else if (replicates() && !spreads_parameters()) {
            for (const Chunk& chunk : own_.chunks) {
                reduce(chunk.whole);
            }
        }
        gathered_.clear();
        const bool is_end = stage_ == 0 || stage_ == layout_.pp - 1;
        if (plan_.embedding_bytes > 0 && is_end) {
            collective(CollectiveKind::all_reduce, places_.ends(gpu_.rank()), 2, plan_.embedding_bytes,
                       "all-reduce of the embedding's gradient");
        }
    }

    void update() {
        gpu_.log("update");
        if (plan_.synchronises && layout_.ranks() > 1) {
            collective(CollectiveKind::all_reduce, places_.everyone(), layout_.ranks(), 4,
                       "all-reduce of the gradient norm");
        }
        spend("optimizer", own_.optimizer.total());
    }

    GPU& gpu_;
    const StepPlan& plan_;
    const Layout& layout_;
    const Places& places_;
    int stage_;
    const StagePlan& own_;
    Group replicas_;
    Group expert_replicas_;
    Jitter jitter_;
    std::vector<std::vector<Handle>> gathered_;  // of each chunk: its buckets
    bool reducing_ = false;                      // gradients, on their stream
    std::optional<Handle> sending_;              // the last: messages leave one after another
};

}  // namespace

void training_step(GPU& gpu, const StepPlan& plan, const Places& places, const StepOptions& options) {
    Rank rank(gpu, plan, places, options);
    for (int step = 0; step < plan.steps; ++step) {
        rank.step();
    }
}

Cluster step_cluster(const StepPlan& plan, const Places& places) {
    Nccl network = plan.machine.network;
    network.places = places.real_ranks();
    Cluster cluster{.name = plan.machine.name, .network = network};
    cluster.compute.per_billionth_unit = a_picosecond;
    const Layout& layout = plan.layout;
    const bool beside = layout.replicas() > 1 && (layout.zero == 3 || layout.overlap_gradients ||
                                                  (layout.zero > 0 && layout.overlap_parameters));
    cluster.compute.overlap_slowdown = beside ? plan.machine.gpu.efficiency.compute_beside : 1;
    return cluster;
}

}  // namespace sim::model
