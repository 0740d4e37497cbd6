#include "libsim/training/step/training_step.hpp"

#include "libsim/parallel/pipeline/pipeline.hpp"
#include "libsim/training/step/jitter.hpp"
#include "libsim/training/step/stage_step.hpp"

#include <algorithm>
#include <utility>

namespace sim::training {

namespace {

constexpr Stream data_stream = static_cast<Stream>(1);
constexpr Pace a_picosecond{1, 1};  // a billionth of a unit

// Runs the pieces of one rank.
class Rank {
public:
    Rank(GPU& gpu, const StepPlan& plan, const RankMap& map, const std::vector<StageStep>& stages,
         const StepOptions& options)
        : gpu_(gpu),
          plan_(plan),
          map_(map),
          stage_(map.stage_of(gpu.rank())),
          step_(stages[static_cast<std::size_t>(plan.stages[static_cast<std::size_t>(stage_)].first_alike)]),
          stages_(map.stages(gpu.rank())),
          replicas_(map.group(RankGroup::replicas, gpu.rank())),
          expert_replicas_(map.group(RankGroup::expert_replicas, gpu.rank())),
          jitter_(options.jitter, options.seed, plan.layout, map.real_rank(gpu.rank())) {}

    void step() {
        execute(step_.before, 1);
        const auto passes = [this](const PipelineStep& step) {
            const ChunkPasses& chunk = step_.chunks[static_cast<std::size_t>(step.chunk)];
            execute(chunk.of(step, micro_batches_of(plan_)), jitter_.next());
        };
        run_pipeline(gpu_, stages_, plan_.shape, plan_.layout.parallelism.schedule->steps(plan_.shape, stage_), passes,
                     {.boundary = Bytes{plan_.boundary_bytes},
                      .blocking_sends = !plan_.layout.framework.overlap_pipeline,
                      .first_tag = Tag{0},
                      .in_order = true});
        execute(step_.after, 1);
    }

private:
    // Passes take `factor` times as long.
    void execute(const Pieces& pieces, double factor) {
        for (const Piece& piece : pieces) {
            switch (piece.kind) {
                case PieceKind::mark: gpu_.log(label_of(piece.work)); break;
                case PieceKind::compute: compute(piece, is_pass(piece.work) ? factor : 1); break;
                case PieceKind::collect: start(piece); break;
                case PieceKind::wait: wait(piece); break;
            }
        }
    }

    void compute(const Piece& piece, double factor) {
        if (const Duration time = Jitter::scaled(piece.time, factor); time.count() > 0) {
            gpu_.compute(label_of(piece.work), Units::from_billionths(time.count()));
        }
    }

    void start(const Piece& piece) {
        switch (piece.order) {
            case PieceOrder::here: collect(piece); break;
            case PieceOrder::beside: gpu_.start_on(data_stream, [&] { collect(piece); }); break;
            case PieceOrder::ahead:
                ahead_.emplace_back(piece.bucket, gpu_.on(data_stream, [&] { collect(piece); }));
                break;
        }
    }

    void collect(const Piece& piece) {
        const std::string_view label = label_of(piece.work);
        for (int time = 0; time < piece.times; ++time) {
            for (const StepCollective& one : piece.collectives) {
                if (one.exists()) {
                    gpu_.collective(group(one.group),
                                    {.kind = one.kind, .size = Bytes{one.whole_bytes()}, .label = label});
                }
            }
        }
    }

    const Group& group(RankGroup group) {
        switch (group) {
            case RankGroup::replicas: return replicas_;
            case RankGroup::expert_replicas: return expert_replicas_;
            default: return other_ = map_.group(group, gpu_.rank());
        }
    }

    void wait(const Piece& piece) {
        if (piece.bucket == nullptr) {
            // A mark on the stream: it ends when everything before it has.
            gpu_.wait(gpu_.on(data_stream, [] {}));
            return;
        }
        const auto gathered =
            std::find_if(ahead_.begin(), ahead_.end(), [&](const auto& each) { return each.first == piece.bucket; });
        gpu_.wait(gathered->second);
        ahead_.erase(ahead_.begin(), gathered + 1);  // those before it have completed, too
    }

    GPU& gpu_;
    const StepPlan& plan_;
    const RankMap& map_;
    int stage_;
    const StageStep& step_;
    Group stages_;
    Group replicas_;
    Group expert_replicas_;
    Group other_ = replicas_;  // the group requested last
    Jitter jitter_;
    std::vector<std::pair<const GradientBucket*, Handle>> ahead_;  // gathers in progress, in the order of their stream
};

}  // namespace

TrainingStep::TrainingStep(const StepPlan& plan, const RankMap& map, const StepOptions& options)
    : plan_(&plan), map_(&map), options_(options) {
    stages_.resize(plan.stages.size());
    for (int stage = 0; stage < plan.layout.parallelism.pp; ++stage) {
        const auto number = static_cast<std::size_t>(stage);
        if (plan.stages[number].first_alike == stage) {
            stages_[number] = stage_step(plan, stage);
        }
    }
}

void TrainingStep::operator()(GPU& gpu) const {
    Rank rank(gpu, *plan_, *map_, stages_, options_);
    for (int step = 0; step < plan_->steps; ++step) {
        rank.step();
    }
}

Cluster step_cluster(const StepPlan& plan, const RankMap& map) {
    Nccl network = plan.machine.network;
    network.places = map.real_ranks();
    Cluster cluster{.name = plan.machine.name, .network = network};
    cluster.compute.per_billionth_unit = a_picosecond;
    const Layout& layout = plan.layout;
    const bool beside = layout.replicas() > 1 && (layout.parallelism.zero == 3 || layout.framework.overlap_gradients ||
                                                  (layout.parallelism.zero > 0 && layout.framework.overlap_parameters));
    cluster.compute.overlap_slowdown = beside ? plan.machine.gpu.efficiency.compute_beside : 1;
    return cluster;
}

}  // namespace sim::training
