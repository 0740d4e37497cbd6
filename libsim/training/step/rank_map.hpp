// A rank map places the ranks of a layout and gives their communication groups: all ranks, or one rank of each pipeline
// stage on behalf of all.
//
// All ranks form a mesh (libsim/parallel/mesh.hpp), numbered as in Megatron-LM. Folded, rank s is the first one of
// stage s, and its groups stand for the whole ones.
#pragma once

#include "libsim/group.hpp"
#include "libsim/parallel/mesh.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/step/rank_group.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace sim::training {

class RankMap {
public:
    RankMap(const Layout& layout, bool folded);

    bool folded() const { return folded_; }
    int ranks() const { return folded_ ? mesh_.size("pp") : mesh_.size(); }
    int stage_of(int rank) const { return folded_ ? rank : rank / ranks_of_a_stage_; }
    // The rank's number among all ranks of the layout.
    int real_rank(int rank) const { return folded_ ? rank * ranks_of_a_stage_ : rank; }
    // The rank's coordinate on an axis of the mesh: pp, dp, cp or tp; folded, that of the first rank it stands for.
    int coordinate(int rank, std::string_view axis) const { return mesh_.coordinate(real_rank(rank), axis); }
    // Folded: for each rank, the first rank that it stands for; otherwise empty.
    std::vector<int> real_ranks() const;

    // The stages of the rank's pipeline, in order.
    Group stages(int rank) const;
    // The rank's group of a kind: replicas, their shards and copies, ends or everyone. The collectives of the other
    // kinds are part of a rank's computation.
    Group group(RankGroup group, int rank) const;

private:
    Group standing(int rank, const Group& whole) const;
    Group part(int rank, const Mesh& mesh, std::span<const std::string_view> axes, int shards, bool of_copies) const;
    Group copies(int rank, const Mesh& mesh, std::span<const std::string_view> axes) const;

    int shards_;
    int expert_shards_;
    Mesh mesh_;
    Mesh experts_;
    bool folded_;
    bool both_ways_;
    int ranks_of_a_stage_;  // consecutive
};

}  // namespace sim::training
