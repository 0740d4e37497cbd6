#include "libsim/search/space.hpp"

#include "libsim/error.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/training/layout_fields.hpp"
#include "libsim/training/recomputation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace sim::search {

namespace {

using training::Recompute;

constexpr std::size_t most_points = 2'000'000;
constexpr int most_micro_batch = 16;
constexpr int most_chunks = 16;
constexpr int least_tokens = 4096;  // fewest tokens per rank that make context parallelism worthwhile

std::vector<int> divisors(int amount, std::int64_t most) {
    std::vector<int> found;
    for (int d = 1; d <= amount && d <= most; ++d) {
        if (amount % d == 0) {
            found.push_back(d);
        }
    }
    return found;
}

std::vector<int> powers_of_two(std::int64_t most) {
    std::vector<int> found{1};
    while (std::int64_t{found.back()} * 2 <= most) {
        found.push_back(found.back() * 2);
    }
    return found;
}

std::vector<int> given_or(const std::vector<int>& given, const std::vector<int>& usual) {
    return given.empty() ? usual : given;
}

bool selects_by_operator(const PlanSpace& space, int zero) {
    training::Layout layout{.framework = space.rest.framework};
    layout.framework.recompute = Recompute::selective;
    layout.parallelism.zero = zero;
    return training::recomputes_by_operator(layout);
}

// A way to recompute activations.
struct Recomputation {
    Recompute recompute;
    training::LayerModules modules = training::Framework{}.recompute_modules;
};

// Explicit choices are taken literally.
std::vector<Recomputation> given_recomputations(const PlanSpace& space) {
    std::vector<Recomputation> ways;
    for (const Recompute recompute : space.recompute) {
        ways.push_back(recompute == Recompute::selective
                           ? Recomputation{recompute, space.rest.framework.recompute_modules}
                           : Recomputation{recompute});
    }
    return ways;
}

// With one ZeRO stage, if none is given.
std::vector<Recomputation> usual_recomputations(const PlanSpace& space, const training::Transformer& model, int zero) {
    const training::Framework& framework = space.rest.framework;
    std::vector<Recomputation> ways{{Recompute::none}};
    if (framework.names_modules()) {
        ways.push_back({Recompute::selective, framework.recompute_modules});
    } else if (!selects_by_operator(space, zero)) {
        for (const training::LayerModules modules : selective_ways(model, framework.flash_attention)) {
            ways.push_back({Recompute::selective, modules});
        }
    } else if (framework.loop == training::TrainingLoop::torch) {
        ways.push_back({Recompute::selective});
    }
    ways.push_back({Recompute::full});
    return ways;
}

// Builds points, iterating from the outer axes to the inner ones.
class Points {
public:
    Points(const PlanSpace& space, const training::Transformer& model, const training::Machine& machine)
        : space_(space), model_(model), machine_(machine), schedules_(schedules_of(space)) {}

    std::vector<PlanPoint> all() && {
        for (const int gpus : space_.gpus) {
            for_meshes(gpus);
        }
        return std::move(found_);
    }

private:
    void for_meshes(int gpus) {
        const training::Machine placed = predict::machine_of_job(machine_, gpus);
        const std::vector<int> tp = divisors(gpus, placed.gpus_per_node);
        const std::vector<int> pp = usual_stages(gpus);
        const std::vector<int> cp = powers_of_two(std::min(gpus, model_.sequence / least_tokens));
        for (const int t : given_or(space_.tp, tp)) {
            for (const int p : given_or(space_.pp, pp)) {
                for (const int c : given_or(space_.cp, cp)) {
                    for_mesh({.gpus = gpus, .tp = t, .pp = p, .cp = c});
                }
            }
        }
    }

    // A list of layers fits exactly its own number of virtual stages.
    std::vector<int> usual_stages(int gpus) const {
        const training::LayerSplit& split = space_.rest.parallelism.split;
        std::vector<int> stages =
            divisors(gpus, split.is_listed() ? std::ssize(split.layers)
                                             : model_.layers + split.count_embedding + split.count_loss);
        std::erase_if(stages, [&](int pp) {
            const std::ptrdiff_t listed = std::ssize(split.layers);
            return split.is_listed() && (listed % pp != 0 || (pp == 1 && listed > 1));  // a single stage has no chunks
        });
        return stages;
    }
    std::vector<int> usual_chunks(int pp) const {
        const training::LayerSplit& split = space_.rest.parallelism.split;
        if (split.is_listed()) {
            return {std::max(1, static_cast<int>(split.layers.size()) / pp)};
        }
        const int layers = model_.layers + split.count_embedding + split.count_loss;
        return pp == 1 ? std::vector{1} : divisors((layers + pp - 1) / pp, most_chunks);
    }

    void for_mesh(PlanPoint point) {
        const double replica = 1.0 * point.tp * point.pp * point.cp;
        // Explicit sizes may multiply beyond 64 bits; such a mesh is refused anyway.
        const auto whole = static_cast<std::int64_t>(std::min(replica, 1e9));
        if (replica > point.gpus || point.gpus % whole != 0) {
            add(point);  // one point for all of them, which is refused for its ranks
            return;
        }
        point.dp = point.gpus / static_cast<int>(whole);
        if (!space_.dp.empty() && std::find(space_.dp.begin(), space_.dp.end(), point.dp) == space_.dp.end()) {
            return;
        }
        const std::vector<int> ep =
            divisors(std::max(1, model_.experts.count), std::int64_t{point.dp} * point.cp * point.tp);
        for (const int e : given_or(space_.ep, ep)) {
            for (const int t : given_or(space_.expert_tp, {1})) {
                point.ep = e;
                point.expert_tp = t;
                for_chunks(point);
            }
        }
    }

    void for_chunks(PlanPoint point) {
        for (const int chunks : given_or(space_.interleave, usual_chunks(point.pp))) {
            for (std::size_t s = 0; s < schedules_.size(); ++s) {
                if (is_worth_it(*schedules_[s], chunks)) {
                    point.interleave = chunks;
                    point.schedule = static_cast<std::uint8_t>(s);
                    for_steps(point);
                }
            }
        }
    }

    // Explicit choices are tried literally. Otherwise several chunks go only with schedules that use them, and one
    // chunk with the others, unless there is only one schedule.
    bool is_worth_it(const NamedPipelineSchedule& schedule, int chunks) const {
        if (!space_.interleave.empty() && !space_.schedule.empty()) {
            return true;
        }
        return chunks > 1 ? schedule.uses_chunks : !schedule.uses_chunks || schedules_.size() == 1;
    }

    void for_steps(PlanPoint point) {
        // With a single replica there is nothing to shard over.
        const bool alone = std::int64_t{point.dp} * point.cp == 1;
        const std::vector<int> zero = alone          ? std::vector{0}
                                      : point.pp > 1 ? std::vector{0, 1, 3}
                                                     : std::vector{0, 1, 2, 3};
        const std::vector<int> micro_batch =
            powers_of_two(std::min(most_micro_batch, space_.rest.batch.global / point.dp));
        for (const int z : given_or(space_.zero, zero)) {
            const bool has_groups = z > 0 || space_.rest.framework.outer_every > 0;
            for (const int s : has_groups ? given_or(space_.shard, {0}) : std::vector{0}) {
                for (const auto& [recompute, modules] : recomputations(z)) {
                    for (const int m : given_or(space_.micro_batch, micro_batch)) {
                        point.zero = z;
                        point.shard = s;
                        point.recompute = recompute;
                        point.modules = modules;
                        point.micro_batch = m;
                        add(point);
                    }
                }
            }
        }
    }

    std::vector<Recomputation> recomputations(int zero) const {
        return space_.recompute.empty() ? usual_recomputations(space_, model_, zero) : given_recomputations(space_);
    }

    void add(const PlanPoint& point) {
        if (found_.size() == most_points) {
            throw ProgramError(
                fmt::format("there are more than {} layouts; restrict some axes: --tp, --pp, --zero …", most_points));
        }
        found_.push_back(point);
    }

    const PlanSpace& space_;
    const training::Transformer& model_;
    const training::Machine& machine_;
    std::vector<KnownSchedule> schedules_;
    std::vector<PlanPoint> found_;
};

}  // namespace

std::span<const PlanAxis> plan_axes() {
    const auto axis = [](const char* option, std::vector<int> PlanSpace::*values, int PlanPoint::*value,
                         const char* help) {
        const auto& field = std::get<training::WholeField>(training::layout_field(option).kind);
        return PlanAxis{option, help, values, value, field.in};
    };
    static const std::vector<PlanAxis> axes{
        axis("dp", &PlanSpace::dp, &PlanPoint::dp, "data-parallel sizes (any; a layout's is GPUs / (tp x pp x cp))"),
        axis("tp", &PlanSpace::tp, &PlanPoint::tp, "tensor-parallel sizes (divisors of the GPUs, up to a node's)"),
        axis("pp", &PlanSpace::pp, &PlanPoint::pp,
             "pipeline-parallel sizes: numbers of stages (divisors of the GPUs, up to the layers)"),
        axis("cp", &PlanSpace::cp, &PlanPoint::cp,
             "context-parallel sizes (powers of two that leave a rank 4,096 tokens)"),
        axis("ep", &PlanSpace::ep, &PlanPoint::ep, "expert-parallel sizes (divisors of the experts)"),
        axis("expert-tp", &PlanSpace::expert_tp, &PlanPoint::expert_tp, "tensor-parallel sizes within an expert (1)"),
        axis("micro-batch", &PlanSpace::micro_batch, &PlanPoint::micro_batch,
             "micro-batch sizes in sequences (powers of two up to 16)"),
        axis("interleave", &PlanSpace::interleave, &PlanPoint::interleave,
             "model chunks (virtual stages) per pipeline stage (divisors of a stage's layers, up to 16)"),
        axis("zero", &PlanSpace::zero, &PlanPoint::zero,
             "ZeRO stages over dp x cp: 1 shards optimizer states, 2 also gradients, 3 also parameters (0 to 3; not 2 "
             "with pp > 1)"),
        axis("shard", &PlanSpace::shard, &PlanPoint::shard,
             "HSDP: numbers of adjacent ranks of dp x cp that ZeRO shards over (0: all of them)")};
    return axes;
}

std::vector<training::LayerModules> selective_ways(const training::Transformer& model, bool flash_attention) {
    using training::LayerModule;
    const training::LayerModules missing = training::missing_modules(model);
    const auto with = [&](training::LayerModules modules, std::initializer_list<LayerModule> more) {
        for (const LayerModule module : more) {
            modules |= missing.has(module) ? training::LayerModules{} : module;
        }
        return modules;
    };
    training::LayerModules both = with({}, {LayerModule::norms, LayerModule::latent_up});
    if (!flash_attention) {
        both |= LayerModule::core_attention;
    }
    // The module of experts includes their activation function.
    return {with(both, {LayerModule::expert_activation}), with(both, {LayerModule::dense_ffn, LayerModule::experts})};
}

std::vector<KnownSchedule> schedules_of(const PlanSpace& space) {
    return space.schedule.empty() ? std::vector<KnownSchedule>{usual_pipeline_schedule(1), usual_pipeline_schedule(2)}
                                  : space.schedule;
}

std::vector<PlanPoint> points_of(const PlanSpace& space, const training::Transformer& model,
                                 const training::Machine& machine) {
    return Points(space, model, machine).all();
}

std::string recomputation_text(const PlanPoint& point) {
    const bool names =
        point.recompute == Recompute::selective && point.modules != training::Framework{}.recompute_modules;
    return name_of(point.recompute) + (names ? " " + text_of(point.modules) : "");
}

training::Layout layout_of(const PlanSpace& space, const training::Transformer& model, const PlanPoint& point) {
    training::Layout layout = space.rest;
    for (const PlanAxis& axis : plan_axes()) {
        axis.in(layout) = point.*axis.value;
    }
    layout.framework.recompute = point.recompute;
    layout.framework.recompute_modules = point.modules;
    layout.parallelism.schedule =
        space.schedule.empty() ? usual_pipeline_schedule(1 + point.schedule) : space.schedule[point.schedule];
    layout.parallelism.sequence_parallel = space.sequence_parallel.value_or(
        point.tp > 1 && model.sequence % point.cp == 0 && model.sequence / point.cp % point.tp == 0);
    if (layout.framework.loss) {
        layout.framework.loss = training::loss_of_framework(layout);
    }
    return layout;
}

}  // namespace sim::search
