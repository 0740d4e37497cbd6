// Which rank is where in a layout, and who talks to whom: all ranks, or one of each pipeline stage for all of them.
//
// All ranks are numbered as Megatron-LM does: tensor parallel fastest, then context, data, pipeline. Folded, rank s is
// the first of stage s, and its groups stand for the whole ones.
#pragma once

#include "libsim/group.hpp"
#include "libsim/training/layout.hpp"

#include <vector>

namespace sim::model {

class Places {
public:
    Places(const Layout& layout, bool folded) : layout_(layout), folded_(folded) {}

    bool folded() const { return folded_; }
    int ranks() const { return folded_ ? layout_.pp : layout_.ranks(); }
    int stage_of(int rank) const { return folded_ ? rank : rank / per_stage(); }
    // The same place of another stage.
    int in_stage(int rank, int stage) const { return folded_ ? stage : rank % per_stage() + stage * per_stage(); }
    // Of the step itself: the rank among all.
    int real_rank(int rank) const { return folded_ ? rank * per_stage() : rank; }
    // Folded: of each rank, whom it stands for first; empty otherwise.
    std::vector<int> real_ranks() const;

    // Data x context parallel: who has the same parameters.
    Group replicas(int rank) const;
    Group expert_replicas(int rank) const;
    // The same place of the first and the last stage, who share tied embeddings.
    Group ends(int rank) const;
    Group everyone() const;

private:
    int per_stage() const { return layout_.dp * layout_.cp * layout_.tp; }
    Group standing(int rank, const Group& whole) const;

    Layout layout_;
    bool folded_;
};

}  // namespace sim::model
