#include "libsim/training/step/rank_map.hpp"

#include "libsim/check.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sim::training {

RankMap::RankMap(const Layout& layout, bool folded)
    : shards_(layout.shards()),
      expert_shards_(layout.expert_shards()),
      mesh_({{"tp", layout.parallelism.tp},
             {"cp", layout.parallelism.cp},
             {"dp", layout.parallelism.dp},
             {"pp", layout.parallelism.pp}}),
      experts_({{"expert_tp", layout.parallelism.expert_tp},
                {"ep", layout.parallelism.ep},
                {"expert_dp", layout.expert_replicas() / layout.copies()},
                {"pp", layout.parallelism.pp}},
               "expert_tp-ep-expert_dp-pp"),
      folded_(folded),
      both_ways_(layout.parallelism.schedule->both_ways),
      ranks_of_a_stage_(mesh_.size() / layout.parallelism.pp) {}

std::vector<int> RankMap::real_ranks() const {
    std::vector<int> real;
    for (int rank = 0; folded_ && rank < ranks(); ++rank) {
        real.push_back(real_rank(rank));
    }
    return real;
}

Group RankMap::standing(int rank, const Group& whole) const {
    return folded_ ? Group::strided(rank, 1, 1).standing_for(whole) : whole;
}

// The `shards` adjacent ranks around this one along these axes, or the ranks at the same place among as many.
Group RankMap::part(int rank, const Mesh& mesh, std::span<const std::string_view> axes, int shards,
                    bool of_copies) const {
    const int real = real_rank(rank);
    const Group all = mesh.along(real, axes);
    const int place = all.index_of(real);
    const int stride = all.size() > 1 ? all.rank_at(1) - all.rank_at(0) : 1;
    return standing(rank, of_copies ? Group::strided(all.rank_at(place % shards), stride * shards, all.size() / shards)
                                    : Group::strided(all.rank_at(place / shards * shards), stride, shards));
}

// The ranks along these axes that hold the same parts of the model; those of two stages, in order, with a bidirectional
// schedule.
Group RankMap::copies(int rank, const Mesh& mesh, std::span<const std::string_view> axes) const {
    const int real = real_rank(rank);
    const Group own = mesh.along(real, axes);
    if (!both_ways_) {
        return standing(rank, own);
    }
    const int stages = mesh_.size("pp");
    const int stage = stage_of(rank);
    // The same place within stage p - 1 - stage, which holds the same parts.
    const int other_rank = real + (stages - 1 - 2 * stage) * ranks_of_a_stage_;
    std::vector<int> all = own.ranks();
    const std::vector<int> others = mesh.along(other_rank, axes).ranks();
    // Lower stages first on both sides, so that both name one group.
    all.insert(stage < stages / 2 ? all.end() : all.begin(), others.begin(), others.end());
    const Group whole = Group::of(std::move(all));
    return folded_ ? Group::of({std::min(stage, stages - 1 - stage), std::max(stage, stages - 1 - stage)})
                         .standing_for(whole)
                   : whole;
}

Group RankMap::stages(int rank) const {
    return folded_ ? Group::strided(0, 1, ranks()) : mesh_.along(rank, "pp");
}

Group RankMap::group(RankGroup group, int rank) const {
    constexpr std::array<std::string_view, 2> dense{"cp", "dp"};
    constexpr std::array<std::string_view, 1> experts{"expert_dp"};
    const int real = real_rank(rank);
    switch (group) {
        case RankGroup::replicas: return copies(rank, mesh_, dense);
        case RankGroup::expert_replicas: return copies(rank, experts_, experts);
        case RankGroup::shards: return part(rank, mesh_, dense, shards_, false);
        case RankGroup::shard_copies: return part(rank, mesh_, dense, shards_, true);
        case RankGroup::expert_shards: return part(rank, experts_, experts, expert_shards_, false);
        case RankGroup::expert_shard_copies: return part(rank, experts_, experts, expert_shards_, true);
        case RankGroup::ends: {
            const auto ends_of = [](const Group& stages) {
                return Group::of({stages.rank_at(0), stages.rank_at(stages.size() - 1)});
            };
            const Group both = ends_of(stages(rank));
            return folded_ ? both.standing_for(ends_of(mesh_.along(real, "pp"))) : both;
        }
        case RankGroup::everyone: {
            const Group here = Group::strided(0, 1, ranks());
            return folded_ ? here.standing_for(Group::strided(0, 1, mesh_.size())) : here;
        }
        case RankGroup::tensor:
        case RankGroup::heads:
        case RankGroup::context:
        case RankGroup::expert:
        case RankGroup::expert_tensor: break;
    }
    check(false, "this group's collectives are part of what its ranks compute");
    return standing(rank, Group::strided(real, 1, 1));
}

}  // namespace sim::training
