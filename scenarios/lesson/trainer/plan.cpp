#include "scenarios/lesson/trainer/plan.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/parallel/divide.hpp"
#include "libsim/parallel/pipeline/blocking_sends.hpp"
#include "libsim/parallel/pipeline/picture.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/parallel/shares.hpp"

#include <fmt/format.h>

namespace sim::lesson {

using namespace config;

namespace {

// The items of the ranks with the same weights: by speed if requested, as each rank has its own.
std::vector<sim::Share> item_shares(const scenarios::Options& options) {
    const int replicas = options.mesh.dp * options.mesh.ep;
    if (!options.weighted) {
        return even_shares(options.items, replicas);
    }
    std::vector<double> speeds(static_cast<std::size_t>(replicas), 1.0);
    for (std::size_t rank = 0; rank < std::min(speeds.size(), options.slowdown.size()); ++rank) {
        speeds[rank] = 1 / options.slowdown[rank];
    }
    return weighted_shares(options.items, speeds);
}

// The items of the rank with the most.
int most_items(const scenarios::Options& options) {
    int most = 0;
    for (const sim::Share& share : item_shares(options)) {
        most = std::max(most, share.count);
    }
    return most;
}

// The number of micro-batches that a rank's `items` are cut into.
int micro_batch_count(const scenarios::Options& options, int items) {
    if (options.item_by_item) {
        return options.works_in_layers() ? std::min(items, 1) : items;
    }
    return options.micro_batches;
}

std::vector<sim::Share> micro_batches_of(const scenarios::Options& options, const sim::Share& mine) {
    std::vector<sim::Share> batches;
    const int count = micro_batch_count(options, mine.count);
    for (const sim::Share& share : count == 0 ? std::vector<sim::Share>{} : even_shares(mine.count, count)) {
        batches.push_back({mine.first + share.first, share.count});
    }
    return batches;
}

PartPlacement chunk_of(const scenarios::Options& options, const RankPlan& plan, int chunk) {
    const int virtual_stages = options.mesh.pp * options.chunks;
    const int virtual_stage = part_of(plan.pipeline, plan.stage, chunk);
    const int layers = options.shape.layers / virtual_stages;
    const auto part = [&](std::string_view axis) {
        return Part{plan.mesh.coordinate(plan.rank, axis), plan.mesh.size(axis)};
    };
    return {.first_layer = virtual_stage * layers,
            .layer_count = layers,
            .has_embedding = virtual_stage == 0,
            .has_head = virtual_stage == virtual_stages - 1,
            .tensor = part("tp"),
            .experts = part("ep"),
            .context = part("cp"),
            .sequence_parallel = options.sequence_parallel && options.mesh.tp > 1};
}

void check_items(const scenarios::Options& options) {
    const scenarios::MeshSizes& mesh = options.mesh;
    if (options.item_by_item) {
        const int most = most_items(options);
        if (options.accumulate > most) {
            throw UsageError(
                fmt::format("--accumulate must be at most {0}, the items of a rank in a step, not {1}; "
                            "--accumulate {0} adds up all of them, --items {2} gives a rank as many",
                            most, options.accumulate, std::int64_t{options.accumulate} * mesh.dp));
        }
        if (options.works_in_layers() && options.items < mesh.dp) {
            throw UsageError(
                fmt::format("{} items leave some of dp {} without any; --zero and --overlap need "
                            "at least {}",
                            options.items, mesh.dp, mesh.dp));
        }
        return;
    }
    const char* const replicas = mesh.ep > 1 ? "dp x ep" : "dp";
    check_divides("items", options.items, replicas, mesh.dp * mesh.ep);
    const std::string parts = mesh.dp * mesh.ep > 1 ? fmt::format("{} x micro-batches", replicas) : "micro-batches";
    check_divides("items", options.items, parts, std::int64_t{mesh.dp} * mesh.ep * options.micro_batches);
}

void check_model(const scenarios::Options& options) {
    const scenarios::MeshSizes& mesh = options.mesh;
    const Shape& shape = options.shape;
    check_divides("hidden numbers", shape.hidden, "heads", shape.heads);
    check_divides("heads", shape.heads, "tp", mesh.tp);
    check_divides("layers", shape.layers, options.chunks > 1 ? "pp x chunks" : "pp", mesh.pp * options.chunks);
    const bool split_rows = options.sequence_parallel && mesh.tp > 1;
    const char* const by_rows = mesh.cp > 1 ? "cp x tp" : "tp";
    check_divides("sequence positions", shape.sequence, split_rows ? by_rows : "cp",
                  mesh.cp * (split_rows ? mesh.tp : 1));
    if (shape.experts > 0) {
        check_divides("experts", shape.experts, "ep", mesh.ep);
        if (shape.top_k > shape.experts) {
            throw UsageError(fmt::format(
                "--top-k {0} is more than the experts there are, {1}; --top-k {1}, or --experts {2}, would fit",
                shape.top_k, shape.experts, (shape.top_k + mesh.ep - 1) / mesh.ep * mesh.ep));
        }
    }
}

PipelineShape shape_of(const scenarios::Options& options) {
    return options.schedule->shape(options.mesh.pp, options.micro_batches, options.chunks);
}

void check_pipeline(const scenarios::Options& options) {
    const NamedPipelineSchedule& schedule = *options.schedule;
    if (options.mesh.pp == 1 && options.chunks == 1 && !schedule.both_ways) {
        return;
    }
    const PipelineShape shape = shape_of(options);
    schedule.check(shape);  // before the layers: more layers do not help a schedule without chunks
    if (!options.blocking_sends) {
        return;
    }
    if (const auto why = blocking_sends_deadlock(shape, steps_of_all(shape, schedule.steps))) {
        throw DeadlockError(
            fmt::format("with --blocking-sends, --schedule {} never ends where a send waits for its "
                        "receiver\n{}\n--schedule gpipe ends; so does {} without --blocking-sends",
                        schedule.name, *why, schedule.name));
    }
}

}  // namespace

Group RankPlan::replicas(std::initializer_list<std::string_view> axes) const {
    Group own = along(axes);
    if (!pipeline.both_ways) {
        return own;
    }
    const int other_stage = pipeline.stages - 1 - stage;
    const Group others = mesh.along(along({"pp"}).rank_at(other_stage), axes);
    std::vector<int> ranks = stage < other_stage ? own.ranks() : others.ranks();
    const std::vector<int> behind = stage < other_stage ? others.ranks() : own.ranks();
    ranks.insert(ranks.end(), behind.begin(), behind.end());
    return Group::of(std::move(ranks));
}

sim::Mesh mesh_of(const scenarios::Options& options) {
    const scenarios::MeshSizes& mesh = options.mesh;
    return sim::Mesh({{"dp", mesh.dp}, {"tp", mesh.tp}, {"pp", mesh.pp}, {"ep", mesh.ep}, {"cp", mesh.cp}});
}

RankPlan plan_of(const scenarios::Options& options, int rank) {
    RankPlan plan{.rank = rank, .mesh = mesh_of(options)};
    plan.stage = plan.mesh.coordinate(rank, "pp");
    plan.pipeline = shape_of(options);
    for (int chunk = 0; chunk < plan.pipeline.chunks; ++chunk) {
        plan.chunks.push_back(chunk_of(options, plan, chunk));
    }
    const int replica = plan.mesh.coordinate(rank, "dp") * options.mesh.ep + plan.mesh.coordinate(rank, "ep");
    const std::vector<sim::Share> shares = item_shares(options);
    plan.micro_batches = micro_batches_of(options, shares[static_cast<std::size_t>(replica)]);
    for (const sim::Share& share : shares) {
        plan.most_micro_batches = std::max(plan.most_micro_batches, micro_batch_count(options, share.count));
    }
    return plan;
}

void check_plan(const scenarios::Options& options) {
    try {
        check_pipeline(options);
        check_model(options);
        check_items(options);
    } catch (const DeadlockError&) {
        throw;  // has its own exit code
    } catch (const ProgramError& error) {
        throw UsageError(error.what());
    }
}

std::string schedule_text(const scenarios::Options& options) {
    const PipelineShape shape = shape_of(options);
    const NamedPipelineSchedule& schedule = *options.schedule;
    const PipelineSteps steps = steps_of_all(shape, schedule.steps);
    const std::string warning = schedule.warning(shape);
    return fmt::format("{}: {}\n{}F is 1 unit of time, B {}; messages take none; . is idle\n\n{}\n{}", schedule.name,
                       schedule.summary, warning.empty() ? "" : warning + "\n",
                       !schedule.splits_backward ? "2"
                       : schedule.whole_backward ? "2, or split B and W 1 each"
                                                 : "and W 1 each",
                       show_schedule(shape, steps), list_schedule(shape, steps));
}

}  // namespace sim::lesson
